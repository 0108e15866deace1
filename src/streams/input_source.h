/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_SOURCE_H
#define BACKOFF_STREAMS_INPUT_SOURCE_H
/*
 * The kind of backoff's stdin, and reading from it.
 */

#include <stdbool.h>
#include <stdint.h>

enum source {
	SOURCE_INHERITED, /* a terminal, a device: COMMAND inherits it */
	SOURCE_NULL, /* for --stdin=null; source_start() never returns it */
	SOURCE_FILE,
	SOURCE_PIPE,
	SOURCE_SOCKET, /* a connected stream socket */
};

/*
 * Finds out what stdin is; SOURCE_INHERITED also if it is closed or cannot be
 * read. False: the kernel does not say, see errno.
 */
bool source_start(enum source *source);

/*
 * For a pipe and a socket: read up to MOST bytes, or, from a socket, look at
 * them without taking them. Never block. 0: it has ended. -1, with errno:
 * EAGAIN if nothing is there, or another process was faster.
 */
int64_t source_read(char *buffer, int64_t most);
int64_t source_peek(char *buffer, int64_t most);

/* Whether nothing is there, as far as the kernel says. */
bool source_is_empty(void);

#endif
