/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_APPLY_H
#define BACKOFF_APPLY_H
/*
 * What each option does to the settings.
 */

#include "options.h"

/* Applies one option; exits with 125 where its TEXT cannot be meant. */
void apply_option(struct options *options, enum option_id id, const char *text);

/*
 * Lets what is known of a tool decide: of the one that --tool names, or of
 * the one that the errand's argv runs in the end, if it is known.
 */
void apply_tool(struct options *options);

#endif
