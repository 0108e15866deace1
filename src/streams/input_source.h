/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_SOURCE_H
#define BACKOFF_STREAMS_INPUT_SOURCE_H
/*
 * What kind of thing an input comes from.
 */

enum source {
	SOURCE_INHERITED, /* a terminal, a device: nothing to be done */
	SOURCE_NULL, /* for --stdin=null; source_of() never says it */
	SOURCE_FILE,
	SOURCE_PIPE,
	SOURCE_SOCKET, /* a connected stream */
};

/* Of what FD reads from, if it can be read at all. */
enum source source_of(int fd);

#endif
