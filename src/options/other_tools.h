/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OTHER_TOOLS_H
#define BACKOFF_OPTIONS_OTHER_TOOLS_H
/*
 * Options that other retry tools have, under the names that they have there.
 */

#include <stddef.h>

#include "core/nearest.h"

/* Which of ours to use for one of NAME's first LENGTH bytes, or NULL. */
const char *other_tools_option(const char *name, size_t length);

/* Offers their names to a search for a misspelt one. */
void other_tools_offer(struct nearest *nearest);

#endif
