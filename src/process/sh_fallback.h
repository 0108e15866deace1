/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SH_FALLBACK_H
#define BACKOFF_PROCESS_SH_FALLBACK_H
/*
 * A file without #! that the kernel does not execute is a script for sh:
 * POSIX asks that of execvp, and not every libc does it.
 */

#include <stdbool.h>

/*
 * The command line that runs ARGV so, where exec has said ENOEXEC of it;
 * NULL: no memory. sh_fallback_free() has it afterwards.
 */
char **sh_fallback_argv(char *const *argv);
void sh_fallback_free(char **script);

/* Exec has said ENOENT of NAME, but it is there: its interpreter is not. */
bool sh_fallback_exists(const char *name);

#endif
