/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_RELATIVES_H
#define BACKOFF_CORE_KNOWN_RELATIVES_H
/*
 * Suggestions for a name that is in no table.
 */

#include <stdbool.h>

#include "core/base/text.h"

/*
 * Adds "did you mean aws-full, aws-equal or aws-sdk?": the names that begin
 * with NAME, that are called NAME elsewhere, or that differ from it by a slip.
 * False: there are none.
 */
bool preset_relatives(const char *name, struct text *text);
bool tool_relatives(const char *name, struct text *text);

#endif
