/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_LOOP_H
#define BACKOFF_CORE_LOOP_LOOP_H
/*
 * The retry loop: its settings, its state and its ending, as COMMAND, the hooks
 * and the log see them, and the pause between two attempts. It knows nothing of
 * processes and clocks: it reaches them through struct world, so that tests can
 * run it without waiting.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/pause/schedule.h"

/* When to give up. INT64_MAX: no limit. */
struct limits {
	int64_t attempts; /* total runs, counted from the last reset */
	bool attempts_given; /* it bounds probes at a gate, too */
	int64_t timeout_ns; /* for one attempt */
	int64_t idle_timeout_ns; /* the same, without output */
	int64_t kill_after_ns; /* between a timeout's signal and KILL */
	int64_t deadline_ns; /* for everything, from the start of the loop */
	int64_t until_ns; /* since the epoch: no attempt starts after it */
	int64_t reset_after_ns; /* an attempt this long resets the count */
	int64_t consecutive; /* successes in a row that are needed, >= 1 */
	int64_t flaky_status; /* of a success after a failed attempt */
	int64_t hint_max_ns; /* the longest wait that a hint may ask for */
	int64_t spool_limit; /* bytes of stdin kept for further attempts */
	struct range splay; /* before the first attempt */
	bool from_start; /* pauses count from the start of the attempt */
};

struct settings {
	struct policy policy;
	struct rules rules;
	struct limits limits;
};

enum result {
	RESULT_NONE, /* not ended yet */
	RESULT_SUCCESS,
	RESULT_PASS,
	RESULT_EXHAUSTED,
	RESULT_STOPPED,
	RESULT_DEADLINE,
	RESULT_INTERRUPTED,
	RESULT_ERROR,
	RESULT_DEFERRED, /* no attempt was made: the run is put off */
};

/* Whether a failed attempt was a probe at a gate. */
struct probe {
	int64_t number; /* since the gate was shut; 0: it was no probe */
	const char *gate; /* outlives the loop */
	/*
	 * Whether this attempt counts for --attempts. A probe counts only if
	 * the user gave --attempts.
	 */
	bool is_counted;
};

/* The state of the loop during or after an attempt. */
struct loop_state {
	int64_t attempt; /* the number of this attempt, or of the next one */
	/* How many attempts count for --attempts since the last reset. */
	int64_t count;
	bool is_reset; /* --reset-after has restarted that count */
	int64_t streak; /* successes in a row */
	int64_t elapsed_ns;
	enum verdict verdict; /* of the last attempt, or VERDICT_NONE */
	struct outcome outcome; /* of the last attempt */
	struct probe probe; /* likewise */
	enum result result;
};

/* What follows an attempt instead of a pause of that many nanoseconds. */
#define PAUSE_NONE (-1) /* nothing: it was the last */
#define PAUSE_AT_GATE (-2) /* as long as the gate is shut */

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
	/* Of LATE what it waited for, or NULL; of REFUSED the closing line. */
	const char *words;
	const char *reason; /* of both, or NULL; all outlive the loop */
};

struct ending {
	enum result result;
	int signal; /* to die by, or 0 */
	int status; /* to exit with; 128 + signal where there is one */
	int end_signal; /* that told backoff to end, or 0 */
	bool vetoed; /* by the hook whose outcome follows */
	struct outcome hook; /* also of one that the deadline cut */
	bool no_time; /* there is no time left for another attempt: */
	bool until_is_near; /* by --until, not by --deadline */
	bool asked_too_long; /* the other side asked for too long a wait */
	bool input_lost; /* only the lost input prevents another attempt */
	struct stream_failure failure; /* for RESULT_ERROR */
	struct entry entry; /* the last one, unless it let the attempt begin */
};

/* "success", "exhausted" ...; "" for RESULT_NONE. */
const char *result_name(enum result result);

/*
 * --- next_pause.c: the pause after an attempt ---
 *
 * It is what the schedule draws, what the other side asked for, and what the
 * deadline leaves room for.
 *
 * After the pause, a reserve of time is kept for the next attempt. If the
 * pause might reach into it, the pause is drawn from the upper half of the
 * room before it instead, so that the time is used up; if there is hardly any
 * room, there is no further attempt.
 */

enum pause_kind {
	PAUSE_DRAWN,
	PAUSE_NO_TIME, /* none: no time is left for another attempt */
	PAUSE_ASKED_BEYOND, /* none: a hint asked for more than --hint-max */
	PAUSE_ASKED_TOO_LATE, /* none: a hint asked for more than the room */
};

struct pause {
	enum pause_kind kind;
	int64_t ns; /* from the end of the attempt */
};

/* What the loop knows. */
struct pause_context {
	const struct settings *settings;
	const struct loop_state *state;
	/* Since the last reset: n of the windows, >= 1 unless in a streak. */
	int64_t failures;
	int64_t elapsed_ns; /* since the start of the loop */
	int64_t until_in_ns; /* from there to --until; INT64_MAX: no limit */
	int64_t longest_ns; /* the longest attempt so far, */
	bool longest_was_cut; /* which timed out */
};

struct room {
	int64_t ns; /* time for a pause; < 0: none; INT64_MAX: no limit */
	int64_t least_ns; /* if there is less, there is no further attempt */
	bool is_by_until; /* the limit is --until, not --deadline */
};

struct room next_pause_room(const struct pause_context *context);

/* The range of the wait before the first attempt; no limit has passed yet. */
struct range next_pause_splay(const struct pause_context *context);

/*
 * The range that the pause after a failure is drawn from, without hints.
 * False: there is no time for another attempt.
 */
bool next_pause_range(const struct pause_context *context,
    const struct schedule *schedule, struct range *range);

struct pause next_pause(
    const struct pause_context *context, struct schedule *schedule);

/* --- loop.c --- */

enum hook {
	HOOK_BEFORE_RETRY,
	HOOK_AT_END,
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
	/*
	 * A clock that only goes forward, which UNTIL_NS and CUTOFF_NS are
	 * times of; and the time since the epoch.
	 */
	int64_t (*now_ns)(void);
	int64_t (*epoch_ns)(void);

	/*
	 * Waits until UNTIL_NS, or until a signal ends the pause. Returns
	 * what tells backoff to end, or 0.
	 */
	int (*pause)(int64_t until_ns);

	/*
	 * Whether the run is put off, as then it does not wait for the splay;
	 * or NULL. It neither waits nor takes anything.
	 */
	struct entry (*before_splay)(void);

	/*
	 * The doors (src/doors), or NULL. before_attempt() is called right
	 * before each attempt, after --before-retry: STATE has the next
	 * attempt's number, and the outcome and verdict of the last one. It may
	 * wait until UNTIL_NS (INT64_MAX: for ever), which leaves the reserve
	 * of the next attempt; not at all if that moment has come. Unless it
	 * returns ADMISSION_GO it must release what it has taken.
	 *
	 * after_verdict() is called after each attempt, as soon as its verdict
	 * is known and before anything is said, whether or not another one
	 * follows. STATE has its number, outcome, hint and verdict;
	 * outcome.end_signal says whether backoff was told to end during it.
	 */
	struct entry (*before_attempt)(
	    const struct loop_state *state, int64_t until_ns);
	struct gate_effect (*after_verdict)(const struct loop_state *state);

	/* Runs one attempt, cut at CUTOFF_NS. The times are always set. */
	struct outcome (*attempt)(
	    const struct loop_state *state, int64_t cutoff_ns);

	/* Runs a hook. Without one, the outcome is exit 0, at once. */
	struct outcome (*hook)(
	    enum hook hook, const struct loop_state *state, int64_t cutoff_ns);

	/*
	 * Releases held output as RESULT demands. Waits for slow readers only
	 * if END_SIGNAL, which told backoff to end, is 0. Returns what ended
	 * that wait, or 0; sets FAILURE if it was not written.
	 */
	int (*release)(
	    enum result result, int end_signal, struct stream_failure *failure);

	/*
	 * Report that the loop starts; that an attempt has ended, before a
	 * pause of PAUSE_NS (or PAUSE_NONE, PAUSE_AT_GATE); that the loop has
	 * ended, and again when --at-end IS_OVER, too.
	 */
	void (*tell_start)(void);
	void (*tell_attempt)(const struct loop_state *state, int64_t pause_ns);
	void (*tell_end)(const struct loop_state *state,
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

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
