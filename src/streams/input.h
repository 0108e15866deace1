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

/* How far COMMAND's reading is followed byte by byte. */
#define INPUT_EXACT (INT64_C(64) * 1024)

/*
 * Once, before anything is spawned. LIMIT is the most that is kept. False:
 * no memory.
 */
bool input_start(enum stdin_mode mode, int64_t limit);

/*
 * Before an attempt. Returns the descriptor that is to be COMMAND's stdin
 * (close it once it has it), -1 where it is inherited.
 */
int input_begin(void);

/* Gives COMMAND what is there; before it is started too. Never blocks. */
void input_feed(void);

/*
 * While the attempt runs: what to wait for (an fd of -1 is nothing), and
 * to be called when that has come. Never blocks.
 */
struct pollfd input_wanted(void);
void input_on_ready(const struct pollfd *came);

/* After the attempt. */
void input_end(void);

/* COMMAND's input cannot be had any more: errno, or 0. */
int input_failure(void);

/* How much was read of a pipe or socket, by all attempts. */
int64_t input_taken_bytes(void);

#endif
