/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_VALUES_H
#define BACKOFF_OPTIONS_OPTION_VALUES_H
/*
 * The values that options take: text to a field of the settings. Each
 * returns NULL, or what was expected instead.
 */

#include "core/schedule.h"

typedef const char *value_parser(const char *text, void *field);

/* Fields of int64_t nanoseconds. */
value_parser value_duration; /* 0 or more, inf too */
value_parser value_duration_above_0; /* inf too */
value_parser value_finite_duration;
value_parser value_timeout; /* 0 is none, as for timeout(1) */
value_parser value_until; /* since the epoch */

/* Fields of int64_t. */
value_parser value_count; /* 1 or more */
value_parser value_attempts; /* inf too */
value_parser value_seed; /* 0 or more */
value_parser value_size; /* bytes */

/* Fields of double. */
value_parser value_factor; /* 1 or more */
value_parser value_rate; /* above 0, a second */

/* Fields of int. */
value_parser value_signal;
value_parser value_wake_signal;

/* Fields of the enumerations and structures of schedule.h and report.h. */
value_parser value_growth;
value_parser value_cap_mode;
value_parser value_jitter;
value_parser value_splay; /* struct range */
value_parser value_delays; /* struct policy: its list, in memory of ours */
value_parser value_log_format;
value_parser value_stdin_mode;
value_parser value_hold; /* NULL is "stdout" */

/* Gives the memory of such a list back. */
void value_free_delays(struct policy *policy);

/* Fields of bool: "start" is true, "end" is false. */
value_parser value_from;

/* A field of const char *: any text will do. */
value_parser value_text;

#endif
