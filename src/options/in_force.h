/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_IN_FORCE_H
#define BACKOFF_OPTIONS_IN_FORCE_H
/*
 * The options in force that the loop's settings do not hold, for --verbose.
 */

#include "core/text.h"
#include "options/option_types.h"

/* ", stdin null, stop-if 'denied'": what is not the default; or nothing. */
void options_in_force(struct text *text, const struct options *options);

#endif
