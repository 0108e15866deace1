/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_USAGE_H
#define BACKOFF_OPTIONS_USAGE_H
/*
 * Usage errors, and the exit after printing.
 */

#include <stddef.h>

/*
 * Prints "backoff: WHAT: TEXT: WHY" on stderr and exits with 125. TEXT and WHY
 * may be NULL.
 */
_Noreturn void usage_refuse(
    const char *what, const char *text, const char *why);

/* Allocates COUNT zeroed elements of SIZE bytes for OPTION, or exits. */
void *usage_allocate(const char *option, size_t count, size_t size);

/* Exits after printing to stdout: 0, or 125 if that could not be written. */
_Noreturn void usage_finish(void);

#endif
