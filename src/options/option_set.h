/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_SET_H
#define BACKOFF_OPTIONS_OPTION_SET_H
/*
 * What each option does: options.def as a table of parsers and targets.
 */

#include "options/option_table.h"
#include "options/option_types.h"

/* Applies one option; exits with 125 if its TEXT cannot be meant. */
void option_set(struct options *options, enum option_id id, const char *text);

/*
 * Whether TEXT would do as the argument of an option that may stand alone.
 */
bool option_takes(enum option_id id, const char *text);

#endif
