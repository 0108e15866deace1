/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_RULES_H
#define BACKOFF_OPTIONS_RULES_H
/*
 * The values of options that decide verdicts, and of those that name something
 * known: signals, presets, tools.
 */

#include "options/values.h"
#include "types/option_types.h"

/* Fields of int. */
value_parser value_signal;
value_parser value_wake_signal;

/* A field of const char *, NULL at first. "list" prints all and exits. */
value_parser value_status; /* int64_t, 0..255 */
value_parser value_preset;

/* Fields of struct rules: CODES. */
value_parser value_success_on;
value_parser value_pass_on;
value_parser value_retry_on;
value_parser value_throttle_on;
value_parser value_stop_on;

/* Take all of struct options: a REGEX, and what to look for in the output. */
value_parser value_success_if;
value_parser value_retry_if;
value_parser value_throttle_if;
value_parser value_stop_if;
value_parser value_retry_after;
value_parser value_tool; /* NULL: go by COMMAND. "list" prints all, exits */

/* With --idle-timeout and held output there is a scan in any case. */
void rules_use_streams(struct options *options);

/*
 * Applies the table of the tool that --tool names, or else of the one that the
 * job runs in the end, if that is known. Without --tool, that table only tells
 * what the codes mean.
 */
void rules_use_tool(struct options *options);

#endif
