/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FOREIGN_H
#define BACKOFF_FOREIGN_H
/*
 * Options that other retry tools have, under the names that they have there.
 */

#include <stddef.h>

/* Which of ours to use for one of NAME's first LENGTH bytes, or NULL. */
const char *foreign_option(const char *name, size_t length);

#endif
