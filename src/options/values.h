/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_VALUES_H
#define BACKOFF_OPTIONS_VALUES_H
/*
 * Parsers for the values of options: from text to a field.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/pause/schedule.h"

/* Why a value was refused, in words. */
struct refusal {
	char item[64]; /* the offending part of it; "": all of it */
	char why[192];
};

/* Sets WHY, and returns false. */
bool refuse(struct refusal *refusal, const char *why);

/*
 * Reads TEXT into FIELD. False: it is refused; REFUSAL, all zero before, says
 * why, and FIELD is undefined.
 */
typedef bool value_parser(
    const char *text, void *field, struct refusal *refusal);

/* Fields of int64_t nanoseconds. */
value_parser value_duration; /* 0 or more, inf too */
value_parser value_duration_above_0; /* inf too */
value_parser value_finite_duration;
value_parser value_timeout; /* 0 is no limit, as in timeout(1) */
value_parser value_until; /* since the epoch */

/* Fields of int64_t. */
value_parser value_count; /* 1 or more */
value_parser value_attempts; /* inf too */
value_parser value_seed; /* 0 or more */
value_parser value_size; /* bytes */

/* Fields of double. */
value_parser value_factor; /* 1 or more */
value_parser value_rate; /* above 0, per second */
value_parser value_share; /* 0..0.99, or a percentage of it */
value_parser value_rate_limit; /* of struct service */

/* A field of int. */
value_parser value_times; /* adds one, whatever the text */

/* Fields of bool. */
value_parser value_flag; /* true, whatever the text */
value_parser value_from; /* "start" is true, "end" is false */

/* Fields of the enums and structs of schedule.h and types/option_types.h. */
value_parser value_growth;
value_parser value_cap_mode;
value_parser value_slot_time; /* policy.slot_ns: "base" is SLOT_IS_BASE */
value_parser value_jitter;
value_parser value_splay; /* struct range */
value_parser value_delays; /* struct policy: its list, allocated */
value_parser value_log_format;
value_parser value_stdin_mode;
value_parser value_hold; /* NULL means "stdout" */
value_parser value_herd_gate; /* NULL means "machine" */

/* Frees the list of value_delays(). */
void value_free_delays(struct policy *policy);

/* A field of const char *: any text will do. */
value_parser value_text;
value_parser value_some_text; /* not "", as of a variable that is not set */

#endif
