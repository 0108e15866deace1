/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_SET_H
#define BACKOFF_OPTIONS_OPTION_SET_H
/*
 * What each option does to the settings.
 */

#include "options/getopt_table.h"
#include "options/option_types.h"

/* Applies one option; exits with 125 where its TEXT cannot be meant. */
void option_set(struct options *options, enum option_id id, const char *text);

/*
 * Lets what is known of a tool decide: of the one that --tool names, or of
 * the one that the errand's argv runs in the end, if it is known.
 */
void option_set_tool(struct options *options);

#endif
