/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_FD_H
#define BACKOFF_PROCESS_FD_H
/*
 * Descriptors of our own stand where COMMAND's do not: closed on exec, and
 * not among 0 to 9, which scripts and jobservers use.
 */

#include <stdbool.h>

/*
 * Moves FD, which must be close-on-exec; returns where it is now. Passes
 * a negative FD through; errno is as it was then.
 */
int fd_out_of_the_way(int fd);

/* Whether both are one open file description: one offset, one file. */
bool fd_same(int a, int b);

/* Whether both are one file, whoever has opened it. */
bool fd_same_file(int a, int b);

/*
 * Another description of the pipe or device that FD is, opened with MODE,
 * which does not block: others may rely on that of FD to block. FD itself
 * where that cannot be, and for files and sockets, which need none.
 */
int fd_without_blocking(int fd, int mode);

/* Another description of it, opened with FLAGS, out of the way; or < 0. */
int fd_reopen(int fd, int flags);

/* A copy of FD, close-on-exec and out of the way; < 0: errno tells why. */
int fd_copy(int fd);

#endif
