/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_IMITATE_H
#define BACKOFF_IMITATE_H
/*
 * The options of a preset, as if they had been given.
 */

#include "defaults.h"
#include "options.h"
#include "text.h"

/*
 * Applies "--base=1s --cap=1m" of the preset NAME; the user's own options
 * come first. WORDS has room for them, and GIVEN then points into it. A
 * preset that is none, or needs more, exits with 125.
 */
void imitate(struct options *options, struct given *given, const char *name,
    struct text *words);

#endif
