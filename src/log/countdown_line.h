/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_COUNTDOWN_LINE_H
#define BACKOFF_LOG_COUNTDOWN_LINE_H
/*
 * A wait that people see run down: the line that announces it, its time drawn
 * again once a second, if the log is a terminal with backoff in its foreground.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"

/* Whether there can be one at all, if TERM and CI do not speak against it. */
void countdown_line_allow(bool allowed);

/*
 * Writes the line, which the writer has begun, without its end, as what
 * countdown_line_wait() is to draw. STAYS: it is a line of the log, and will
 * be left there as it is; otherwise it goes with the wait. TIME is what is left
 * of that where SINCE_NS < 0; else how long ago SINCE_NS of CLOCK_MONOTONIC
 * was. False: that cannot be, and nothing is written.
 */
bool countdown_line_start(
    struct text *text, struct span time, bool stays, int64_t since_ns);

/* Such a line was started, and has not ended yet. */
bool countdown_line_is_there(void);

/* Something else is to be said: the line ends, if it is there. */
void countdown_line_end(void);

/*
 * Waits until UNTIL_NS, or until a signal ends the pause. Returns what tells
 * backoff to end or the wake signal, or 0, and ends the line.
 */
int countdown_line_wait(int64_t until_ns);

/* The same, with a line or without. Where the wait goes on, so does the line.
 */
int countdown_line_wait_on(int64_t until_ns);

#endif
