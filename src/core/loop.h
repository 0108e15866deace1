/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_H
#define BACKOFF_CORE_LOOP_H
/*
 * The retry loop. It knows nothing of processes and clocks: what it needs
 * of the world stands in struct world, so that tests run it in no time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop_state.h"
#include "core/settings.h"

/* What became of releasing held output; all 0: it was written. */
struct release {
	int error; /* errno */
	int signal; /* to die by for it, or 0 */
	int cut_by; /* the signal for which a reader was not waited for */
};

enum hook {
	HOOK_BEFORE_RETRY,
	HOOK_AT_END,
};

/* Whether an attempt may begin, as those have it who know of other runs. */
enum admission {
	ADMISSION_GO,
	ADMISSION_SIGNAL, /* one that ends us came while it waited */
	ADMISSION_LATE, /* the limit passed while it waited */
	/*
	 * We are put off: without an attempt the result is deferred, after
	 * one it is what a deadline brings.
	 */
	ADMISSION_REFUSED,
};

struct entry {
	enum admission admission;
	int signal; /* of ADMISSION_SIGNAL */
	const char *closing; /* of ADMISSION_REFUSED: the closing line, and */
	const char *reason; /* its REASON or NULL; both outlive the loop */
};

/* What those make of a verdict. All zero: as if there were none. */
struct aftermath {
	bool at_door; /* no pause of ours: before_attempt() waits */
	bool uncounted; /* it does not count for --attempts and the windows */
};

struct world {
	void *self;

	/* A clock that only goes forward, and the time since the epoch. */
	int64_t (*now_ns)(void *self);
	int64_t (*epoch_ns)(void *self);

	/*
	 * Waits until then, or until it is told to go on or to end. Returns
	 * the signal that ends us, or 0.
	 */
	int (*pause)(void *self, int64_t until_ns);

	/*
	 * The two doors to what runs share, or NULL. before_attempt() is asked
	 * right before each attempt, --before-retry done: STATE has the coming
	 * attempt's number, and the outcome and verdict of the one before. It
	 * may wait for as long as it likes, but not beyond UNTIL_NS (INT64_MAX:
	 * for ever), which leaves the reserve of the next attempt; a moment
	 * that has come means: now or not at all. What is then there for it
	 * to release it must release, unless it says ADMISSION_GO.
	 *
	 * after_verdict() is told of each attempt that was made, as soon as its
	 * verdict is known and before anything is said, whether or not a
	 * further one follows. STATE has its number, outcome, hint and verdict;
	 * of one during which we were told to end, outcome_told() says so.
	 */
	struct entry (*before_attempt)(
	    void *self, const struct loop_state *state, int64_t until_ns);
	struct aftermath (*after_verdict)(
	    void *self, const struct loop_state *state);

	/* One attempt, cut at CUT_NS. started_ns, ended_ns are always set. */
	struct outcome (*attempt)(
	    void *self, const struct loop_state *state, int64_t cutoff_ns);

	/* The hook's outcome; exit 0 at once where there is none. */
	struct outcome (*hook)(void *self, enum hook hook,
	    const struct loop_state *state, int64_t cutoff_ns);

	/*
	 * Held output comes out, as the result has it. TOLD is the signal
	 * that has told us to end, or 0: then readers may take their time.
	 */
	struct release (*release)(void *self, enum result result, int told);

	/* The loop starts; an attempt has ended, and PAUSE_NS follows, or
	 * what the PAUSE_ of loop_state.h say; the loop has ended. */
	void (*tell_start)(void *self);
	void (*tell_attempt)(
	    void *self, const struct loop_state *state, int64_t pause_ns);
	void (*tell_end)(void *self, const struct loop_state *state,
	    const struct ending *ending);
};

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
