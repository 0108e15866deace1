/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SPAWN_H
#define BACKOFF_PROCESS_SPAWN_H
/*
 * Starts programs: COMMAND and the hooks, and a helper that works for backoff
 * beside them.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Starts ARGV, with DESCRIPTORS as its 0, 1 and 2 (-1: inherited). A file
 * without #! is run by sh (rule 57). Returns the pid, or < 0: it could not be
 * started, see errno.
 */
pid_t spawn(char *const argv[], const int descriptors[3]);

/*
 * The command line that runs the file ARGV[0] by sh, after exec has failed with
 * ENOEXEC: POSIX demands that of execvp(3), but not every libc does it. The
 * caller frees the array; the next call overwrites the path in it. NULL: no
 * memory.
 */
char **spawn_by_sh(char *const argv[]);

/* Whether NAME exists, after ENOENT: then its interpreter is missing. */
bool spawn_finds(char *name);

/*
 * The helper is no part of COMMAND's tree, no key of the terminal reaches it,
 * and it has one descriptor: 3, a socket to backoff that keeps messages apart.
 * It is to end when that ends. Starts PATH with ENVIRONMENT; false: errno.
 */
bool helper_start(const char *path, char *const environment[]);

/* backoff's end of its socket, or -1: there is no helper. */
int helper_socket(void);

/* Its pid until it has been reaped; 0: there is none. */
pid_t helper_pid(void);

/* PID, which may be the helper's, has been reaped. */
void helper_note_reaped(pid_t pid);

/*
 * REVIVE is to start another one if the helper dies while COMMAND runs. NULL:
 * none is needed.
 */
void helper_guard(void (*revive)(void));

/* Revives it if need be. Returns when to look again; INT64_MAX: never. */
int64_t helper_look(void);

/* Waits until UNTIL_NS of CLOCK_MONOTONIC for its end, and then kills it. */
void helper_end(int64_t until_ns);

#endif
