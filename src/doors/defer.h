/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DEFER_H
#define BACKOFF_DOORS_DEFER_H
/*
 * --defer: after a run gives up, the next runs of its NAME are put off for a
 * while; and what --quiet-repeats has to know of the runs before.
 */

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/* RANDOM draws how long; both must live on. */
void defer_start(const struct defer_options *options, struct random *random);

/*
 * Whether this run may make its first attempt; ADMISSION_REFUSED: it is put
 * off, as it never is at a terminal. Asked again after a splay.
 */
struct entry defer_ask(void);

/*
 * For --quiet-repeats, before defer_end(): reads whether the last run that was
 * not put off gave up, by whatever verdict.
 */
bool defer_look_back(void);

/* After that, and the end of the log: logs that RESULT ends a row of them. */
void defer_log_recovery(enum result result);

/* The run has ended, before --at-end: writes what that means for the next. */
void defer_end(const struct loop_state *state, enum result result);

#endif
