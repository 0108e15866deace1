/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DEFAULTS_H
#define BACKOFF_DEFAULTS_H
/*
 * What follows from the options together: defaults that depend on others,
 * and what cannot be meant.
 */

#include "arguments.h"
#include "options.h"

/* The text of each option that was given, the last one, or NULL. */
struct given {
	const char *text[OPTIONS];
};

/* Sets what was not given. */
void defaults_derive(struct options *options, const struct given *given);

/* Option A cannot be, because of B: BEFORE, "--B" and AFTER say why. */
struct contradiction {
	enum option_id a, b;
	const char *before, *after;
};

/*
 * The first contradiction in options that defaults_derive() has seen. False:
 * there is none.
 */
bool defaults_contradict(const struct options *options,
    const struct given *given, struct contradiction *found);

#endif
