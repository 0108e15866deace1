/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_IN_FORCE_H
#define BACKOFF_OPTIONS_IN_FORCE_H
/*
 * The options in force that are not settings of the loop, for --verbose.
 */

#include "core/base/text.h"
#include "types/option_types.h"

/* Adds what is not the default, such as ", stdin null, stop-if 'denied'". */
void options_in_force(struct text *text, const struct options *options);

#endif
