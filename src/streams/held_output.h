/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_HELD_OUTPUT_H
#define BACKOFF_STREAMS_HELD_OUTPUT_H
/*
 * Held output: COMMAND writes to a file without a name, a fresh one for
 * each attempt, so that what an earlier one left running cannot write into
 * a later one's. What is worth showing is copied out in the end.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options/option_types.h"
#include "streams/outlet.h"

/* Once. False, with errno: no file can be made. */
bool hold_start(enum hold_what what);

/*
 * Before an attempt: drops what is held, and opens new files. Sets
 * DESCRIPTORS[1] and [2] to what COMMAND is to have there; those that are
 * not held are left alone. False: errno tells why.
 */
bool hold_begin(int descriptors[3]);

/* COMMAND has its descriptors now. */
void hold_started(void);

/* After COMMAND's end: whether others have the files, to write to them. */
bool hold_is_open(void);

/*
 * After it: what others that have the files write from now on is not the
 * attempt's.
 */
void hold_end(void);

/* The file of fd 1 or 2, and how much of it is the attempt's; else -1. */
int hold_file(int fd, off_t *size);

/*
 * Copies what the last attempt wrote to where it belongs; with FAILED, held
 * stdout goes to stderr unless all was held. Room is waited for as by
 * outlet_put(). Once: what has been released is held no more.
 */
enum written hold_release(bool failed, int64_t until_ns);

/* Whether that has left a part on stderr, which may end within a line. */
bool hold_tore_stderr(void);

#endif
