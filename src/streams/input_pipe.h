/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_PIPE_H
#define BACKOFF_STREAMS_INPUT_PIPE_H
/*
 * The pipe through which COMMAND reads its input. Its reading end stays open
 * here as well, so that what nobody has read can be taken out in the end.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* What it holds once it is wide; until then it is one page. */
#define PIPE_WIDE (INT64_C(64) * 1024)

/* A new one. False: errno tells why not. */
bool pipe_open(void);

/* What is larger than the user's limit allows stays as it is. */
void pipe_widen(void);

/* The reading end, for COMMAND, or -1. Stays ours to close. */
int pipe_commands_end(void);

/*
 * Fills it from BYTES, or with what is at the head of the pipe FROM, without
 * taking it. How many, or -1: errno, EAGAIN where there is no room. tee(2):
 * 0 at the end of FROM, EAGAIN also where nothing is there.
 */
int64_t pipe_give(const char *bytes, int64_t count);
int64_t pipe_tee(int from);

/* How much it was given since it was opened. */
int64_t pipe_given(void);

/* How much of that nobody has read; -1: errno. */
int64_t pipe_unread(void);

bool pipe_has_room(void);

/* No more is given: the reader finds the end behind what is there. */
void pipe_finish(void);

/*
 * Closes it, and tells how much nobody has read, which is gone with it. -1
 * with errno: that is not known. BUFFER of PIPE_WIDE bytes is written to.
 */
int64_t pipe_drain(char *buffer);

/* What to poll for until it has room; an fd of -1 once it is finished. */
struct pollfd pipe_until_room(void);

/*
 * Where that tells nothing: until it is time for a look. Each call of
 * pipe_look_later() without something given since is for a later one, from
 * 1 ms to 100 ms ahead. False: errno tells why it cannot be had.
 */
bool pipe_look_later(void);
struct pollfd pipe_until_look(void);

#endif
