/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_USAGE_H
#define BACKOFF_OPTIONS_USAGE_H
/*
 * Refusals, and the end after something was printed.
 */

#include <stddef.h>

/*
 * "backoff: WHAT: TEXT: WHY" in one line on stderr, and exit with 125. TEXT
 * and WHY may be NULL.
 */
_Noreturn void usage_refuse(
    const char *what, const char *text, const char *why);

/* COUNT zeroed elements of SIZE bytes, which OPTION asks for. */
void *usage_allocate(const char *option, size_t count, size_t size);

/* Exit after printing to stdout: 0, or 125 if that could not be written. */
_Noreturn void usage_finish(void);

#endif
