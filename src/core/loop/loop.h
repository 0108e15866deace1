/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_LOOP_H
#define BACKOFF_CORE_LOOP_LOOP_H
/*
 * The retry loop. It knows nothing of processes and clocks: it reaches them
 * through struct world, so that tests can run it without waiting.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop/loop_state.h"

/* The result of releasing held output; all 0: it was written. */
struct release {
	int error; /* errno */
	int signal; /* to die by for it, or 0 */
	int end_signal; /* what ended the wait for a slow reader, or 0 */
};

enum hook {
	HOOK_BEFORE_RETRY,
	HOOK_AT_END,
};

/* Whether the gate, slots and --defer let an attempt begin. */
enum admission {
	ADMISSION_GO,
	ADMISSION_SIGNAL, /* a signal that ends backoff came meanwhile */
	ADMISSION_LATE, /* the limit passed while it waited */
	/*
	 * The run is put off: before any attempt the result is deferred, after
	 * one it is that of a deadline.
	 */
	ADMISSION_REFUSED,
};

struct entry {
	enum admission admission;
	int signal; /* of ADMISSION_SIGNAL */
	const char *waiting; /* of ADMISSION_LATE: what for, or NULL */
	const char *closing; /* of ADMISSION_REFUSED: the closing line */
	const char *reason; /* of both, or NULL; all outlive the loop */
};

/* How the gate changes the pause after an attempt. All zero: it does not. */
struct gate_effect {
	bool waits_at_gate; /* no pause: before_attempt() waits */
	/* A probe does not count for the default of --attempts. */
	struct probe probe;
	bool keeps_windows; /* the gate paces it: the windows do not grow */
	int signal; /* that ends backoff and came meanwhile, or 0 */
};

struct world {
	void *self;

	/*
	 * A clock that only goes forward, which UNTIL_NS and CUTOFF_NS are
	 * times of; and the time since the epoch.
	 */
	int64_t (*now_ns)(void *self);
	int64_t (*epoch_ns)(void *self);

	/*
	 * Waits until UNTIL_NS, or until a signal ends the pause. Returns
	 * what tells backoff to end, or 0.
	 */
	int (*pause)(void *self, int64_t until_ns);

	/*
	 * Whether the run is put off; or NULL. Called before the splay, so that
	 * a run that is put off does not wait. It neither waits nor takes
	 * anything.
	 */
	struct entry (*before_splay)(void *self);

	/*
	 * Two callbacks, or NULL: the doors (src/doors) are asked before each
	 * attempt and told after it. before_attempt() is called right before
	 * each attempt, after --before-retry: STATE has the next attempt's
	 * number, and the outcome and verdict of the last one. It may wait
	 * until UNTIL_NS (INT64_MAX: for ever), which leaves the reserve of the
	 * next attempt; if that moment has come already, it must not wait.
	 * Unless it returns ADMISSION_GO it must release what it has taken.
	 *
	 * after_verdict() is called after each attempt, as soon as its verdict
	 * is known and before anything is said, whether or not another one
	 * follows. STATE has its number, outcome, hint and verdict;
	 * outcome.end_signal says whether backoff was told to end during it.
	 */
	struct entry (*before_attempt)(
	    void *self, const struct loop_state *state, int64_t until_ns);
	struct gate_effect (*after_verdict)(
	    void *self, const struct loop_state *state);

	/* Runs one attempt, cut at CUTOFF_NS. The times are always set. */
	struct outcome (*attempt)(
	    void *self, const struct loop_state *state, int64_t cutoff_ns);

	/* Runs a hook. Without one, the outcome is exit 0, at once. */
	struct outcome (*hook)(void *self, enum hook hook,
	    const struct loop_state *state, int64_t cutoff_ns);

	/*
	 * Releases held output as RESULT demands. Waits for slow readers only
	 * if END_SIGNAL, which told backoff to end, is 0.
	 */
	struct release (*release)(
	    void *self, enum result result, int end_signal);

	/*
	 * Report that the loop starts; that an attempt has ended, before a
	 * pause of PAUSE_NS (or PAUSE_NONE, PAUSE_AT_GATE); that the loop has
	 * ended, and again when --at-end IS_OVER, too.
	 */
	void (*tell_start)(void *self);
	void (*tell_attempt)(
	    void *self, const struct loop_state *state, int64_t pause_ns);
	void (*tell_end)(void *self, const struct loop_state *state,
	    const struct ending *ending, bool is_over);
};

/*
 * The rules after an attempt, for run_loop() and for a simulation of many runs.
 * STATE has the outcome and verdict of the attempt, and its number in attempt
 * and count. Counts it there and in FAILURES, n of the windows. Returns the
 * result; RESULT_NONE: another attempt follows, after next_pause().
 */
enum result loop_count_attempt(const struct limits *limits,
    const struct gate_effect *effect, struct loop_state *state,
    struct schedule *schedule, int64_t *failures);

/*
 * The result after an attempt; RESULT_NONE: another attempt follows. STATE
 * already includes this attempt in its streak and count. The order of the
 * rules is part of the contract: the first that applies decides.
 */
enum result result_after_attempt(
    const struct limits *limits, const struct loop_state *state);

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
