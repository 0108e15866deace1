/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SCRIPT_H
#define BACKOFF_SCRIPT_H
/*
 * A file without #! that the kernel does not execute is a script for sh:
 * POSIX asks that of execvp, and not every libc does it.
 */

#include <stdbool.h>

/*
 * The command line that runs ARGV so, where exec has said ENOEXEC of it;
 * NULL: no memory. script_free() has it afterwards.
 */
char **script_argv(char *const *argv);
void script_free(char **script);

/* Exec has said ENOENT of NAME, but it is there: its interpreter is not. */
bool script_exists(const char *name);

#endif
