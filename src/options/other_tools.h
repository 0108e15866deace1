/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OTHER_TOOLS_H
#define BACKOFF_OPTIONS_OTHER_TOOLS_H
/*
 * Options of other retry tools, under the names that they have there.
 */

#include <stddef.h>

#include "core/base/nearest.h"

/* What to use instead of the option NAME[0..LENGTH), or NULL. */
const char *other_tools_option(const char *name, size_t length);

/* Offers their names to a search for a misspelt one. */
void other_tools_offer(struct nearest *nearest);

#endif
