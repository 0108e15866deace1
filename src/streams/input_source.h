/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_SOURCE_H
#define BACKOFF_STREAMS_INPUT_SOURCE_H
/*
 * What our stdin is, and what is to be read there.
 */

#include <stdbool.h>
#include <stdint.h>

enum source {
	SOURCE_INHERITED, /* a terminal, a device: nothing to be done */
	SOURCE_NULL, /* for --stdin=null; source_start() never says it */
	SOURCE_FILE,
	SOURCE_PIPE,
	SOURCE_SOCKET, /* a connected stream */
};

/*
 * What our stdin is: SOURCE_INHERITED too where it is closed or cannot be
 * read. False with errno: the kernel does not tell.
 */
bool source_start(enum source *source);

/*
 * For a pipe and a socket: up to MOST bytes that are there, taken or, from a
 * socket, only looked at. 0: it has ended. -1: errno, EAGAIN where nothing is
 * there, or where another process was faster, which never makes us wait.
 */
int64_t source_read(char *buffer, int64_t most);
int64_t source_peek(char *buffer, int64_t most);

/* Whether nothing is there, as far as the kernel tells. */
bool source_is_empty(void);

#endif
