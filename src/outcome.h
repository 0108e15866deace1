/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OUTCOME_H
#define BACKOFF_OUTCOME_H
/*
 * How an attempt ended, as plain data.
 */

#include <stdbool.h>
#include <stdint.h>

enum outcome_kind {
	OUTCOME_EXITED,
	OUTCOME_KILLED,
	OUTCOME_TIMED_OUT,
	OUTCOME_NOT_STARTED,
};

enum verdict {
	VERDICT_NONE,
	VERDICT_SUCCESS,
	VERDICT_PASS,
	VERDICT_RETRY,
	VERDICT_THROTTLE,
	VERDICT_STOP,
};

#define VERDICTS 6

/* What an attempt left behind besides its status. Zero is nothing. */
struct evidence {
	enum verdict hinted; /* through BACKOFF_HINT */
	bool asked; /* the other side asked for a wait: */
	int64_t asked_ns;
	int unreadable_hints;
	enum verdict matched; /* by a condition on the output: */
	const char *pattern;
	bool unmatched; /* --success-if was given, and no line matched */
	enum verdict known; /* what --tool knows of its status */
	const char *meaning; /* of that: "could not connect", or NULL */
	const char *last_line; /* of stderr, or NULL where we did not see it */
	bool input_lost; /* its stdin cannot be given again: */
	int64_t input_taken; /* how much of it was read */
	int input_loss; /* errno for it, or 0: --spool-limit */
	const char *broken; /* a stream of it that we could not carry */
	int error; /* errno for that */
	int broken_signal; /* to die by for it, or 0 */
	bool
	    hopeless; /* so that whatever the attempt says counts for nothing */
	bool cut_off; /* output that was not passed on when we were told to end
	               */
};

/* What a shell and timeout(1) say for it. */
#define STATUS_TIMED_OUT 124
#define STATUS_ERROR 125
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128 /* plus the signal */

struct outcome {
	enum outcome_kind kind;
	int status; /* of exit, or -1; also of a timed-out attempt */
	int signal; /* that killed it, or 0; also of a timed-out attempt */
	int error; /* errno of an attempt that was not started */
	bool lasting; /* that error will not pass by itself (rule 54) */
	bool no_interpreter; /* ENOENT is about that: the program is there */
	bool past_deadline; /* cut by --deadline, not by --timeout */
	bool by_forwarded; /* killed by a signal that we passed on */
	int told; /* HUP INT QUIT TERM that came meanwhile, or 0 */
	int told_late; /* such a one that found the command dead */
	uint64_t forwarded; /* signals passed on, bit N - 1 for signal N */
	struct evidence evidence;
	int64_t limit_ns; /* the time that a timed-out attempt had */
	int64_t started_ns; /* on the clock of the loop */
	int64_t ended_ns;
};

/* The outcome of an attempt that fork or exec refused with ERROR. */
struct outcome outcome_not_started(int error);

/* The kind, status and signal of a wait(2) status. */
struct outcome outcome_of_wait(int wait_status);

/* What $? would be in a shell: 0..255. */
int outcome_status(const struct outcome *outcome);

#endif
