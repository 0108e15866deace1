/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_LOOP_STATE_H
#define BACKOFF_CORE_LOOP_LOOP_STATE_H
/*
 * The settings of the loop: pauses, verdicts and limits; its state and its
 * ending, as COMMAND, the hooks and the log see them.
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
	const char *broken; /* for RESULT_ERROR: the stream; errno follows */
	int error;
	const char *waiting; /* what for, when the deadline passed; or NULL */
	const char *closing; /* the closing line of a gate, slots or --defer */
	const char *closing_reason; /* theirs, or NULL */
};

/* "success", "exhausted" ...; "" for RESULT_NONE. */
const char *result_name(enum result result);

#endif
