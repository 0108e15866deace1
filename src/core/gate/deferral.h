/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_DEFERRAL_H
#define BACKOFF_CORE_GATE_DEFERRAL_H
/*
 * --defer: after a run gives up, the next runs of its NAME are put off for a
 * while. Pure computation over what is remembered of these runs. All times are
 * since the epoch.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/loop/loop.h"
#include "core/pause/random.h"
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

/*
 * How long a run whose own HIGH is HIGH_NS and that starts now is put off; 0:
 * not at all. The clock may have been set, and others may have written the
 * record: never longer than the window or HIGH, and then UNTIL_NS is lowered,
 * which has to be written.
 */
int64_t deferral_wait(
    struct deferral *deferral, int64_t high_ns, int64_t epoch_ns);

/* A run that has ended. */
struct run_end {
	enum result result;
	enum verdict verdict; /* of the last attempt */
	int64_t began_ns, ended_ns;
	int status; /* as $? has it */
	const char *reason; /* kept on one line */
};

/* Whether a run that ended with RESULT gave up, by whatever verdict. */
bool deferral_gave_up(enum result result);

/*
 * A run that gave up, or was a success or pass, has ended. If a further attempt
 * could have helped, the next run is put off for U[w/2, w], which RANDOM draws,
 * and not for less than it was before: w = min(HIGH, LOW * 2^(n-1)) after n
 * such runs in a row, of which those that overlap count once. 0 < LOW <= HIGH
 * are those of LIMITS.
 */
void deferral_end(struct deferral *deferral, struct range limits,
    const struct run_end *end, struct random *random);

#endif
