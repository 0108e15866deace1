/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_SET_H
#define BACKOFF_OPTIONS_SET_H
/*
 * Applies options: options.def as a table of parsers and targets.
 */

#include "options/table.h"
#include "types/option_types.h"

/* Applies one option; exits with 125 if its TEXT is not acceptable. */
void option_set(struct options *options, enum option_id id, const char *text);

/*
 * Whether TEXT would be a valid argument for an option whose argument is
 * optional.
 */
bool option_takes(enum option_id id, const char *text);

#endif
