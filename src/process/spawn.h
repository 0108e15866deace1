/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SPAWN_H
#define BACKOFF_PROCESS_SPAWN_H
/*
 * Starts programs.
 */

#include <sys/types.h>

/*
 * Starts ARGV, with DESCRIPTORS as its 0, 1 and 2 (-1: inherited). It may be a
 * script without #! (rule 57). Returns the pid, or < 0: it could not be
 * started, see errno.
 */
pid_t spawn(char *const argv[], const int descriptors[3]);

#endif
