/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SH_FALLBACK_H
#define BACKOFF_PROCESS_SH_FALLBACK_H
/*
 * Runs a file without #!, which the kernel refuses to execute, as a script of
 * sh: POSIX demands that of execvp, but not every libc does it.
 */

#include <stdbool.h>

/*
 * The command line that runs ARGV with sh, after exec has failed with ENOEXEC.
 * NULL: no memory. Free it with sh_fallback_free().
 */
char **sh_fallback_argv(char *const *argv);
void sh_fallback_free(char **script);

/* Whether NAME exists, after ENOENT: then its interpreter is missing. */
bool sh_fallback_exists(const char *name);

#endif
