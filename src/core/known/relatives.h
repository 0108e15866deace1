/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_RELATIVES_H
#define BACKOFF_CORE_KNOWN_RELATIVES_H
/*
 * What may have been meant by a name that is in no table.
 */

#include <stdbool.h>

#include "core/text.h"

/*
 * Adds "did you mean aws-full, aws-equal or aws-sdk?": those that begin with
 * NAME, that go by NAME elsewhere, or that are spelt much like it. False:
 * there are none.
 */
bool preset_relatives(const char *name, struct text *text);
bool tool_relatives(const char *name, struct text *text);

#endif
