/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_TAPPED_OUTPUT_H
#define BACKOFF_STREAMS_TAPPED_OUTPUT_H
/*
 * Watched output: COMMAND writes to pipes of backoff, which scans the lines
 * and passes them on at once. Held output is scanned in its file instead.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "streams/line_scan.h"

#define TAP_DESCRIPTORS 2

/*
 * Call this once if something is watched. TIMES: both streams are, as it counts
 * when they are written to. False: no memory.
 */
bool tap_start(struct scan *scan, bool times);

/*
 * Before an attempt, and before hold_begin(): sets those of DESCRIPTORS[1] and
 * [2] for which COMMAND needs a pipe. False: it failed, see errno.
 */
bool tap_begin(int descriptors[3]);

/* To be called when COMMAND has its ends of the pipes. */
void tap_started(void);

/* For struct relay, while the attempt runs. */
int tap_wanted(struct pollfd *descriptors);
void tap_on_ready(const struct pollfd *came, int count);

/* When output came last through a pipe, or INT64_MIN. */
int64_t tap_read_ns(void);

/* Whether there is output in a pipe, or it waits for room to be written. */
bool tap_is_busy(void);

/* Why the output cannot be passed on: errno, or 0. */
int tap_failure(void);

/*
 * After COMMAND's end: passes on what is still in the pipes. Returns true if
 * there is no room for all of it yet. With PATIENT, what leftover processes
 * write counts too, and it also returns true while there are any.
 */
bool tap_drain(bool patient);

/* After the attempt: scans held output. */
void tap_end(void);

/* Whether what was passed on ends stderr within a line. */
bool tap_tore_stderr(void);

/* Whether some output was not passed on. */
bool tap_was_cut_off(void);

#endif
