/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_CHECKS_H
#define BACKOFF_OPTIONS_OPTION_CHECKS_H
/*
 * What follows from the options together: defaults that depend on others,
 * and what cannot be meant.
 */

#include "options/option_table.h"
#include "options/option_types.h"

/* The text of each option that was given, the last one, or NULL. */
struct given {
	const char *text[OPTIONS];
};

/* Sets what was not given. */
void option_defaults(struct options *options, const struct given *given);

/* Option A cannot be because of B: BEFORE, "--B" and AFTER say why. */
struct contradiction {
	enum option_id a, b;
	const char *before, *after;
};

/*
 * The first contradiction in options that option_defaults() has seen. False:
 * there is none.
 */
bool option_contradiction(const struct options *options,
    const struct given *given, struct contradiction *found);

#endif
