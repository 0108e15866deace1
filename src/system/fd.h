/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_FD_H
#define BACKOFF_SYSTEM_FD_H
/*
 * backoff's own descriptors are out of COMMAND's way: closed on exec, and not
 * among 0 to 9, which scripts and jobservers use.
 */

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Closes all from FIRST on. */
void fd_close_from(int first);

/* Closes *FD where it is open, and makes it -1; leaves errno alone. */
void fd_close(int *fd);

/*
 * poll(2), until *UNTIL_NS of CLOCK_MONOTONIC. Where the machine stood still
 * then, nobody could answer: *UNTIL_NS is put off, and what was left begins
 * anew.
 */
int fd_poll(struct pollfd *watched, nfds_t count, int64_t *until_ns);

/* Waits for EVENTS of FD, or UNTIL_NS, as fd_poll() does. False: too late. */
bool fd_await(int fd, short events, int64_t until_ns);

/* Reads up to SIZE bytes of a small file; < 0: errno. */
ssize_t fd_read_file(const char *path, void *bytes, size_t size);

/* RESULT = CALL, made again where a signal has interrupted it. */
#define RETRY_EINTR(result, call) \
	do \
		(result) = (call); \
	while ((result) < 0 && errno == EINTR)

/* A copy of FD, close-on-exec and out of the way; < 0: errno tells why. */
int fd_copy(int fd);

#endif
