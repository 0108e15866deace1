/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_H
#define BACKOFF_STREAMS_INPUT_H
/*
 * Each attempt sees the same standard input, from where we found it. A
 * regular file is rewound. A pipe or stream socket is handed on through a
 * pipe of ours: what COMMAND has read is taken from it, and kept in a file
 * for the next attempt; what it has not read stays where it is. Terminals
 * and other devices are inherited.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "options/option_types.h"

/*
 * Once, before anything is spawned. LIMIT is the most that is kept. False
 * with errno: no memory, or it cannot be told what stdin is.
 */
bool input_start(enum stdin_mode mode, int64_t limit);

/*
 * Before an attempt. Returns the descriptor that is to be COMMAND's stdin,
 * which stays ours to close; -1 where it is inherited, or input_failure().
 */
int input_begin(void);

/*
 * Gives COMMAND what is there. To be called before it is started, too: a
 * look without waiting then finds what is there, or the end. Never blocks.
 */
void input_feed(void);

/* What to wait for before it is to be fed again; an fd of -1 is nothing. */
struct pollfd input_wanted(void);

/*
 * After the attempt, or at any time before. What COMMAND was given and
 * nobody has read by now is left to whoever reads our stdin next; a process
 * that COMMAND has left behind finds the end.
 */
void input_end(void);

/* COMMAND's input could not be had, from input_begin() on: errno, or 0. */
int input_failure(void);

/* How much was read of a pipe or socket, by all attempts. */
int64_t input_taken_bytes(void);

#endif
