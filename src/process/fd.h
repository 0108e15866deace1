/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_FD_H
#define BACKOFF_PROCESS_FD_H
/*
 * backoff's own descriptors are out of COMMAND's way: closed on exec, and not
 * among 0 to 9, which scripts and jobservers use.
 */

#include <stdbool.h>

/*
 * Moves FD, which must be close-on-exec, out of the way; returns its new
 * number. Returns a negative FD as it is, and leaves errno alone then.
 */
int fd_out_of_the_way(int fd);

/* Whether both are one open file description, and so share one offset. */
bool fd_same(int a, int b);

/* Whether both are the same file, opened once or twice. */
bool fd_same_file(int a, int b);

/* Opens FD's file again, with FLAGS, out of the way; < 0: errno. */
int fd_reopen(int fd, int flags);

/* A copy of FD, close-on-exec and out of the way; < 0: errno tells why. */
int fd_copy(int fd);

#endif
