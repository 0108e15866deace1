/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_H
#define BACKOFF_CORE_LOOP_H
/*
 * The retry loop. It knows nothing of processes and clocks: it reaches them
 * through struct world, so that tests can run it without waiting.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop_state.h"
#include "core/settings.h"

/* The result of releasing held output; all 0: it was written. */
struct release {
	int error; /* errno */
	int signal; /* to die by for it, or 0 */
	int cut_by; /* what ended the wait for a slow reader, or 0 */
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
	 * Waits until UNTIL_NS, or until a signal ends the pause. Returns
	 * what tells backoff to end, or 0.
	 */
	int (*pause)(void *self, int64_t until_ns);

	/* Runs one attempt, cut at CUTOFF_NS. The times are always set. */
	struct outcome (*attempt)(
	    void *self, const struct loop_state *state, int64_t cutoff_ns);

	/* Runs a hook. Without one, the outcome is exit 0, at once. */
	struct outcome (*hook)(void *self, enum hook hook,
	    const struct loop_state *state, int64_t cutoff_ns);

	/*
	 * Releases held output as RESULT demands. TOLD is what told backoff
	 * to end; only if it is 0, slow readers are waited for.
	 */
	struct release (*release)(void *self, enum result result, int told);

	/* Report that the loop starts; that an attempt has ended, before a
	 * pause of PAUSE_NS (< 0: none follows); that the loop has ended. */
	void (*tell_start)(void *self);
	void (*tell_attempt)(
	    void *self, const struct loop_state *state, int64_t pause_ns);
	void (*tell_end)(void *self, const struct loop_state *state,
	    const struct ending *ending);
};

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
