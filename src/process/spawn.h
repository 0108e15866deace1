/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SPAWN_H
#define BACKOFF_PROCESS_SPAWN_H
/*
 * The start of a program.
 */

#include <sys/types.h>

/*
 * Starts ARGV as the child of ours that it returns, with DESCRIPTORS for its
 * 0, 1 and 2 (-1: ours). It may also be a script without #! (rule 57). < 0:
 * errno tells why it could not be started.
 */
pid_t spawn(char *const argv[], const int descriptors[3]);

#endif
