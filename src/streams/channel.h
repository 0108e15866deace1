/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_CHANNEL_H
#define BACKOFF_STREAMS_CHANNEL_H
/*
 * One watched stream: from COMMAND's pipe through the scan to its target.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streams/line_scan.h"
#include "streams/files.h"

#define CHANNEL_READ_SIZE 65536

struct channel {
	int pipe; /* to read from, or -1 */
	int commands; /* COMMAND's end, until COMMAND has started */
	int target; /* our fd 1 or 2 */
	struct outlet outlet; /* the target, or the file that holds it */
	struct scan *scan;
	struct scan_stream *stream;
	char *buffer;
	size_t start; /* start of what was read but not written yet */
	size_t scanned, end; /* of what may be written; of what was read */
	bool ended; /* COMMAND has ended: only what is in the pipe counts */
	size_t left; /* how much of that is still to be read */
	int64_t read_ns; /* when something was read last, or INT64_MIN */
	int failure; /* why it cannot be passed on: errno, or 0 */
};

/* Before an attempt: nothing was read, and there is no pipe. */
void channel_reset(struct channel *channel);

/* Makes the pipe. False: see errno. */
bool channel_open(struct channel *channel);

void channel_close(struct channel *channel);

/* COMMAND has ended: what other processes write later is not its output. */
void channel_note_end(struct channel *channel);

/* Whether there is something to scan; reads from the pipe if need be. */
bool channel_has_bytes(struct channel *channel);

/* Scans a slice of what was read. False: there is more to scan. */
bool channel_scan(struct channel *channel);

/* Writes what was scanned. False: there is no room for all of it. */
bool channel_write(struct channel *channel);

/* All three, but only a few times before signals are handled. */
void channel_advance(struct channel *channel);

/* Whether something was read and is not written yet. */
bool channel_is_full(const struct channel *channel);

/* Whether there is something that is not written yet, read or not. */
bool channel_is_busy(const struct channel *channel);

#endif
