/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_INPUT_H
#define BACKOFF_STREAMS_INPUT_H
/*
 * Gives each attempt the same standard input, from where backoff found it. A
 * regular file is rewound. The content of a pipe or stream socket reaches
 * COMMAND through a pipe of backoff's own: what COMMAND has read is taken
 * from stdin and kept in a file for the next attempt; what it has not read
 * stays in stdin. Terminals and other devices are inherited.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "types/option_types.h"

/*
 * Call this once, before anything is spawned. For --spool-limit, LIMIT.
 * False with errno: it is unknown what stdin is.
 */
bool input_start(enum stdin_mode mode, int64_t limit);

/*
 * Before an attempt. Returns the descriptor for COMMAND's stdin, which this
 * module closes; -1 if stdin is inherited. Look at input_failure().
 */
int input_begin(void);

/*
 * Gives COMMAND what there is. Never blocks. Call it also before COMMAND
 * starts, so that a COMMAND that does not wait for input finds it, or the end.
 */
void input_feed(void);

/* What to wait for before the next input_feed(); an fd of -1: nothing. */
struct pollfd input_wanted(void);

/* Or until when, by CLOCK_MONOTONIC; INT64_MAX: no time is due. */
int64_t input_due_ns(void);

/*
 * After the attempt, or earlier. What COMMAND was given but nobody has read
 * stays in stdin for its next reader. A process that COMMAND has left behind
 * finds the end of its input.
 */
void input_end(void);

/* Why COMMAND's input failed since input_begin(): errno, or 0. */
int input_failure(void);

/*
 * What became of a pipe's content in all attempts: how much COMMAND has read
 * of it (what it was only given does not count), and whether that is lost.
 */
struct input_fate input_fate(void);

#endif
