/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_DEFERRAL_H
#define BACKOFF_CORE_GATE_DEFERRAL_H
/*
 * A run that gave up puts off the next ones of its name: pure computation
 * over what is remembered of it. All times are since the epoch.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/loop/loop_state.h"
#include "core/pause/schedule.h"

#define DEFERRAL_REASON_SIZE 64

/* All zero: nothing is remembered. */
struct deferral {
	uint32_t failures; /* runs in a row that gave up, saturating */
	int64_t until_ns; /* no run before it */
	int64_t window_ns; /* what that was drawn from: never put off longer */
	uint8_t status; /* of the last one, as $? has it */
	uint32_t runs; /* in a row that gave up by whatever verdict */
	int64_t since_ns; /* when the first of these did */
	char reason[DEFERRAL_REASON_SIZE];
	int64_t last_ns; /* when the last one that counted gave up */
};

/* What the end of a run means for the next ones. */
enum deferral_event {
	DEFERRAL_NONE, /* nothing */
	DEFERRAL_FORGET,
	DEFERRAL_COUNT, /* one more that gave up */
};

/* RESULT and the verdict of the last attempt, VERDICT_NONE without one. */
enum deferral_event deferral_event(enum result result, enum verdict verdict);

/* Whether a run that ended with RESULT gave up, by whatever verdict. */
bool deferral_gave_up(enum result result);

/* One more run gave up at EPOCH_NS, by whatever verdict. */
void deferral_add_run(struct deferral *deferral, int64_t epoch_ns);

/* The failures are forgotten, but not the runs that gave up. */
void deferral_forget_failures(struct deferral *deferral);

/*
 * min(HIGH, LOW * 2^(n-1)) after n >= 1 in a row, saturating; 0 < LOW <= HIGH,
 * which are the limits of the range.
 */
int64_t deferral_window(struct range limits, uint32_t failures);

/*
 * How long a run whose own HIGH is HIGH_NS and that starts now is put off; 0:
 * not at all. The clock may have been set, and others may have written the
 * record: never longer than the window or HIGH, and then *DEFERRAL is changed,
 * which *CHANGED tells.
 */
int64_t deferral_wait(struct deferral *deferral, int64_t high_ns,
    int64_t epoch_ns, bool *changed);

/*
 * For how many runs in a row that gave up the next one is put off, once one
 * that began at BEGAN_NS does too, at EPOCH_NS. Runs that overlap count once.
 */
uint32_t deferral_failures(
    const struct deferral *deferral, int64_t began_ns, int64_t epoch_ns);

/*
 * A run that began at BEGAN_NS gave up at EPOCH_NS: with STATUS and REASON, of
 * which the first line is kept. The next is put off for DRAWN_NS, from
 * U[window/2, window] of deferral_window() for deferral_failures(), and not for
 * less than it was before.
 */
void deferral_count(struct deferral *deferral, struct range limits,
    int64_t began_ns, int64_t epoch_ns, int64_t drawn_ns, int status,
    const char *reason);

#endif
