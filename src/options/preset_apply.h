/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_PRESET_APPLY_H
#define BACKOFF_OPTIONS_PRESET_APPLY_H
/*
 * The options of a preset, as if they had been given.
 */

#include "core/text.h"
#include "options/option_checks.h"
#include "options/option_types.h"

/*
 * Applies "--base=1s --cap=1m" of the preset that OPTIONS name; the user's
 * own options come first. WORDS has room for them, and GIVEN then points into
 * it. A preset that needs more exits with 125.
 */
void preset_apply(
    struct options *options, struct given *given, struct text *words);

#endif
