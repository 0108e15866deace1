/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_LOOP_STATE_H
#define BACKOFF_CORE_LOOP_LOOP_STATE_H
/*
 * The state of the loop and its ending, as COMMAND, the hooks and the log
 * see them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"

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
	bool is_counted; /* for --attempts: one that was given, or no probe */
};

/* The state of the loop during or after an attempt. */
struct loop_state {
	int64_t attempt; /* the number of this attempt, or of the next one */
	/*
	 * The same, from the last reset on, without probes that do not count.
	 */
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
	const char *closing; /* the closing line of a gate, slots or --defer, */
	const char *closing_reason; /* its REASON, or NULL */
};

/* "success", "exhausted" ...; "" for RESULT_NONE. */
const char *result_name(enum result result);

#endif
