/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DEFER_H
#define BACKOFF_DOORS_DEFER_H
/*
 * --defer: a run that gave up puts off the next ones.
 */

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/* RANDOM draws how long; both must live on. */
void defer_start(const struct defer_options *options, struct random *random);

/*
 * Whether this run may make its first attempt: ADMISSION_REFUSED where it is
 * put off, which it never is before a person at a terminal. Asked again after a
 * splay.
 */
struct entry defer_ask(void);

/*
 * For --quiet-repeats, before defer_end(): whether the last run that was not
 * put off gave up, by whatever verdict.
 */
bool defer_gave_up_before(void);

/* After that and the end of the log: says so if RESULT ends such a row. */
void defer_log_recovery(enum result result);

/* The run has ended, before --at-end: remembers what that means. */
void defer_end(const struct loop_state *state, enum result result);

#endif
