/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_HELD_OUTPUT_H
#define BACKOFF_STREAMS_HELD_OUTPUT_H
/*
 * Held output: each attempt writes to an unnamed file of its own, so that a
 * process left behind by an earlier attempt cannot write into the file of a
 * later one. In the end, the output worth showing is copied out.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "streams/outlet.h"
#include "types/option_types.h"

/* Call this once. False, with errno: no file can be created. */
bool hold_start(enum hold_what what);

/* Whether fd 1 or 2 is held. */
bool hold_keeps(int fd);

/*
 * Before an attempt: opens new files, then drops what is held. Sets
 * DESCRIPTORS[1] and [2] for COMMAND, if held. False: it failed, see errno;
 * what was held still is.
 */
bool hold_begin(int descriptors[3]);

/* To be called when COMMAND has its descriptors. */
void hold_started(void);

/* After COMMAND's end: whether other processes can still write to the files. */
bool hold_is_open(void);

/* Whether a file has another length than at the last call, or than 0. */
bool hold_has_grown(void);

/*
 * After an attempt: fixes the length of its output; what leftover processes
 * append later is ignored.
 */
void hold_end(void);

/* The file for fd 1 or 2, and the size of the attempt's output; or -1. */
int hold_file(int fd, off_t *size);

/*
 * Copies the last attempt's output to where it belongs, but with FAILED to
 * stderr if only stdout is held. Waits for room as outlet_put() does. Does it
 * only once: released output is no longer held.
 */
enum written hold_release(bool failed, int64_t until_ns);

/* Whether stderr may end within a line after it. */
bool hold_tore_stderr(void);

/* The directory of the files, if its file system has no room; else NULL. */
const char *hold_is_full(void);

#endif
