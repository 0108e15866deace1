/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_CHECKS_H
#define BACKOFF_OPTIONS_CHECKS_H
/*
 * What depends on several options: defaults, and options that contradict each
 * other.
 */

#include "core/base/text.h"
#include "options/table.h"
#include "types/option_types.h"

/* The argument of each option that was given (the last one), or NULL. */
struct given {
	const char *text[OPTIONS];
	struct text notes; /* all of them, for --verbose */
};

/* Notes an option; TEXT may be NULL. */
void option_note(struct text *notes, enum option_id id, const char *text);

/* Sets the defaults of all options that were not given. */
void option_defaults(struct options *options, const struct given *given);

/* Option A contradicts B: BEFORE, "--B" and AFTER say why. */
struct contradiction {
	enum option_id a, b;
	const char *before, *after;
};

/*
 * Finds the first contradiction; call option_defaults() before. False: there
 * is none.
 */
bool option_contradiction(const struct options *options,
    const struct given *given, struct contradiction *found);

#endif
