/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_PIPE_H
#define BACKOFF_STREAMS_INPUT_PIPE_H
/*
 * The pipe through which COMMAND reads its input. Its reading end stays open
 * here too, so that unread bytes can be counted and removed in the end.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* The capacity of a widened pipe; a new one has one page. */
#define PIPE_WIDE (INT64_C(64) * 1024)

/* Opens a new pipe. False: it failed, see errno. */
bool pipe_open(void);

/* Makes it PIPE_WIDE; leaves it alone if the user's limit forbids that. */
void pipe_widen(void);

/* The reading end, for COMMAND, or -1. This module closes it. */
int pipe_commands_end(void);

/*
 * Fill it from BYTES, or with MOST bytes from the head of the pipe
 * FROM, which keeps them. Return the number of bytes, or -1 with errno: EAGAIN
 * if there is no room. pipe_show(): 0 at the end of FROM; EAGAIN also if FROM
 * is empty.
 */
int64_t pipe_give(const char *bytes, int64_t count);
int64_t pipe_show(int from, int64_t most);

/* How many bytes it was given since it was opened. */
int64_t pipe_given(void);

/*
 * How many of them nobody has read; where the system tells only whether there
 * are any, so many at most.
 */
int64_t pipe_unread(void);

bool pipe_has_room(void);

/* Closes the writing end: after the bytes there, the reader finds the end. */
void pipe_finish(void);

/*
 * Closes it and returns how many bytes nobody has read; they are dropped. -1,
 * with errno: that is not known. BUFFER has PIPE_WIDE bytes for scratch.
 */
int64_t pipe_drain(char *buffer);

/* What to poll for until it has room; an fd of -1 after pipe_finish(). */
struct pollfd pipe_until_room(void);

/*
 * For when polling is no use: when to look at the pipe again, by
 * CLOCK_MONOTONIC. If nothing was given since the last call, this is later each
 * time, from 1 ms to 100 ms.
 */
int64_t pipe_next_look_ns(void);

#endif
