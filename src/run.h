/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_RUN_H
#define BACKOFF_RUN_H
/*
 * The retry loop. It knows nothing of processes and clocks: what it needs
 * of the world stands in struct world, so that tests run it in no time.
 */

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"
#include "schedule.h"
#include "verdict.h"

/* How long to go on. What is unlimited is INT64_MAX. */
struct limits {
	int64_t attempts; /* runs in all, since the last reset */
	int64_t timeout_ns; /* for one attempt */
	int64_t kill_after_ns; /* between a timeout's signal and KILL */
	int64_t deadline_ns; /* for everything, from the start of the loop */
	int64_t until_ns; /* since the epoch: no attempt starts after it */
	int64_t reset_after_ns; /* an attempt this long resets the count */
	int64_t consecutive; /* successes in a row that make one, >= 1 */
	int64_t hint_max_ns; /* the longest wait that we may be asked for */
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
};

/* "success", "exhausted" ...; "" for RESULT_NONE. */
const char *result_name(enum result result);

/* What COMMAND, the hooks and the log are told of where the loop is. */
struct moment {
	int64_t attempt; /* the number of this attempt, or the coming one */
	int64_t count; /* the same since the last reset */
	int64_t streak; /* successes in a row */
	int64_t elapsed_ns;
	enum verdict verdict; /* of the attempt before; VERDICT_NONE at first */
	struct outcome outcome; /* likewise */
	enum result result;
};

struct ending {
	enum result result;
	int signal; /* to die by, or 0 */
	int status; /* to exit with; 128 + signal where there is one */
	int interrupted_by; /* the signal that ended the loop, or 0 */
	bool vetoed; /* by the hook whose outcome follows */
	struct outcome hook;
	bool asked_too_long; /* the other side, for a wait */
	bool input_lost; /* there would have been a further attempt */
	const char *broken; /* of RESULT_ERROR: the stream, and errno */
	int error;
};

/* What became of releasing held output; all 0: it was written. */
struct release {
	int error; /* errno */
	int signal; /* to die by for it, or 0 */
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
	    void *self, const struct moment *moment, int64_t cut_ns);

	/* The hook's outcome; exit 0 at once where there is none. */
	struct outcome (*hook)(void *self, enum hook hook,
	    const struct moment *moment, int64_t cut_ns);

	/* Held output comes out, as the result has it. */
	struct release (*release)(void *self, enum result result);

	/* The loop starts; an attempt has ended, PAUSE_NS follows or, < 0,
	 * nothing; the loop has ended. */
	void (*tell_start)(void *self);
	void (*tell_attempt)(
	    void *self, const struct moment *moment, int64_t pause_ns);
	void (*tell_end)(void *self, const struct moment *moment,
	    const struct ending *ending);
};

struct ending run_loop(const struct settings *settings, struct random *random,
    const struct world *world);

#endif
