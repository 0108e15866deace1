/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_HELPER_H
#define BACKOFF_PROCESS_HELPER_H
/*
 * A program that works for backoff beside COMMAND. It is no part of COMMAND's
 * tree, no key of the terminal reaches it, and it has one descriptor: 3, a
 * socket to backoff that keeps messages apart. It is to end when that ends.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts PATH with ENVIRONMENT. False: it is not there; errno tells why. */
bool helper_start(const char *path, char *const environment[]);

/* Our end of the socket, or -1: no helper is there. */
int helper_socket(void);

/* Its pid until it has been reaped; 0: there is none. */
pid_t helper_pid(void);

/* Somebody else has reaped it. */
void helper_is_reaped(void);

/*
 * While COMMAND runs, and until this is called with NULL, REVIVE is called
 * where the helper has died. It starts another.
 */
void helper_guard(void (*revive)(void));

/* When that is due; INT64_MAX: never. And does so if it is. */
int64_t helper_due_ns(void);
void helper_look(void);

/* Waits for its end until UNTIL_NS of CLOCK_MONOTONIC, and then kills it. */
void helper_end(int64_t until_ns);

#endif
