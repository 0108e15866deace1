/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_USAGE_H
#define BACKOFF_OPTIONS_USAGE_H
/*
 * Words to whoever typed the command line.
 */

#include <stddef.h>

/* "backoff: WHAT: TEXT: WHY" in one line on stderr, and exit with 125. */
_Noreturn void usage_refuse(
    const char *what, const char *text, const char *why);

/* COUNT zeroed elements of SIZE bytes, which OPTION asks for. */
void *usage_allocate(const char *option, size_t count, size_t size);

/* To stdout; exit with 0, or with 125 where that could not be written. */
_Noreturn void usage_help(void);
_Noreturn void usage_version(void);

/* The end after something was printed to stdout: the same. */
_Noreturn void usage_finish(void);

#endif
