/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_SPOOL_H
#define BACKOFF_STREAMS_INPUT_SPOOL_H
/*
 * What was taken from stdin, kept for further attempts in a file without a
 * name. When that cannot be, it is lost for good, and the running attempt
 * goes on.
 */

#include <stdbool.h>
#include <stdint.h>

/* LIMIT is the most bytes that are kept. */
void spool_start(int64_t limit);

/* Appends; or loses everything. */
void spool_keep(const char *bytes, int64_t count);

/* Up to COUNT bytes from OFFSET on: how many, 0 at the end, -1: errno. */
int64_t spool_read(char *bytes, int64_t count, int64_t offset);

/* What was taken is not here, for ERROR (errno, or 0: the limit). */
void spool_lose(int error);

bool spool_is_lost(void);
int spool_loss(void); /* that ERROR */

#endif
