/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_VALUES_H
#define BACKOFF_OPTIONS_OPTION_VALUES_H
/*
 * The values that options take: text to a field of the settings.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/nearest.h"
#include "core/schedule.h"

/* What is wrong with a value, for people. */
struct refusal {
	char item[64]; /* the offending part of it; "": all of it */
	char why[192];
};

/* Says WHY, and returns false. */
bool refuse(struct refusal *refusal, const char *why);

/* Asks for the nearest word; without one, says what was EXPECTED. */
bool refuse_but_ask(struct refusal *refusal, const struct nearest *nearest,
    const char *expected);

/*
 * Reads TEXT into FIELD. False: REFUSAL, all zero before, says why that
 * cannot be, and FIELD may have any value.
 */
typedef bool value_parser(
    const char *text, void *field, struct refusal *refusal);

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

/* A field of int. */
value_parser value_times; /* one more, whatever the text */

/* Fields of bool. */
value_parser value_flag; /* true, whatever the text */
value_parser value_from; /* "start" is true, "end" is false */

/* Fields of the enums and structs of schedule.h and option_types.h. */
value_parser value_growth;
value_parser value_cap_mode;
value_parser value_jitter;
value_parser value_splay; /* struct range */
value_parser value_outages; /* struct outages */
value_parser value_delays; /* struct policy: its list, in memory of ours */
value_parser value_outages; /* struct outages */
value_parser value_log_format;
value_parser value_format;
value_parser value_stdin_mode;
value_parser value_watch;
value_parser value_hold; /* NULL is "stdout" */

/* Gives the memory of such a list back. */
void value_free_delays(struct policy *policy);

/* A field of const char *: any text will do. */
value_parser value_text;

#endif
