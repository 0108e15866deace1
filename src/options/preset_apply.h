/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_PRESET_APPLY_H
#define BACKOFF_OPTIONS_PRESET_APPLY_H
/*
 * Applies the options of a preset as if they had been given.
 */

#include "core/base/text.h"
#include "options/checks.h"
#include "types/option_types.h"

/*
 * Applies the options and fields of the preset that OPTIONS name, such as
 * "--base=1s --cap=1m"; the user's own options have priority. WORDS has room
 * for them, and GIVEN points into it afterwards.
 */
void preset_apply(
    struct options *options, struct given *given, struct text *words);

#endif
