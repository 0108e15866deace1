/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_SPOOL_H
#define BACKOFF_STREAMS_INPUT_SPOOL_H
/*
 * Keeps what was taken from stdin in an unnamed file, for further attempts.
 * If that fails, the input is lost for good, and only the running attempt
 * goes on.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"

/* If COMMAND reads more than LIMIT bytes, they are not kept. */
void spool_start(int64_t limit);

/* COMMAND has read up to this offset; what it was only given does not count. */
void spool_was_read(int64_t until);

/* Appends BYTES, or loses everything. */
void spool_keep(const char *bytes, int64_t count);

/* Reads up to COUNT bytes from OFFSET. Returns how many, 0 at the end, -1. */
int64_t spool_read(char *bytes, int64_t count, int64_t offset);

/* Gives up keeping the input, because of ERROR (errno, or 0: the limit). */
void spool_lose(int error);

/* What became of it: COMMAND has read so much, or that ERROR has lost it. */
struct input_fate spool_fate(void);

#endif
