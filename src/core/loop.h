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

	/* The loop starts; an attempt has ended, PAUSE_NS follows or, < 0,
	 * nothing; the loop has ended. */
	void (*tell_start)(void *self);
	void (*tell_attempt)(
	    void *self, const struct loop_state *state, int64_t pause_ns);
	void (*tell_end)(void *self, const struct loop_state *state,
	    const struct ending *ending);
};

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
