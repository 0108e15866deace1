/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_OUTCOME_H
#define BACKOFF_CORE_OUTCOME_H
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

/* What COMMAND said through BACKOFF_HINT or Retry-After. Zero is nothing. */
struct hint {
	enum verdict verdict; /* or VERDICT_NONE */
	bool has_wait; /* it asked for a wait: */
	int64_t wait_ns;
	int unreadable; /* lines of BACKOFF_HINT that mean nothing */
};

/* What its output says. */
struct match {
	enum verdict verdict; /* of the condition that matched, or NONE: */
	const char *pattern;
	bool missing; /* --success-if was given, and no line matches */
	const char *last_line; /* of stderr, or the one that matched; NULL:
	                        * backoff did not see stderr */
};

/* What --tool knows of its exit status or message. */
struct tool_advice {
	enum verdict verdict; /* or VERDICT_NONE */
	const char *meaning; /* "could not connect", or NULL */
};

/* Whether its input can be given to the next attempt. */
struct input_fate {
	bool lost;
	int64_t taken; /* bytes that were read of it */
	int error; /* errno of the loss; 0: --spool-limit */
};

/* A stream that backoff could not carry to or from COMMAND. */
struct stream_failure {
	const char *stream; /* "stdin", "output", or NULL: none failed */
	int error; /* errno */
	int signal; /* to die by for it, or 0 */
	bool is_final; /* whatever the attempt says counts for nothing */
	bool cut_off; /* output not yet passed on when a signal ended us */
};

/* What an attempt left behind besides its status. Zero is nothing. */
struct evidence {
	struct hint hint;
	struct match match;
	struct tool_advice tool;
	struct input_fate input;
	struct stream_failure failure;
};

/* A process of the attempt that backoff may not signal and that goes on. */
struct unended {
	int64_t pid; /* or 0: there is none */
	char name[16]; /* any bytes; "" where it is not known */
};

/* What a shell and timeout(1) say for it. */
#define STATUS_TIMED_OUT 124
#define STATUS_ERROR 125
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128 /* plus the signal */

/* MIPS has 127 signals, all others have 64. */
#define SIGNAL_SET_MOST 128

struct signal_set {
	uint64_t words[SIGNAL_SET_MOST / 64];
};

struct outcome {
	enum outcome_kind kind;
	int status; /* of exit, or -1; also of a timed-out attempt */
	int signal; /* that killed it, or 0; also of a timed-out attempt */
	int error; /* errno of an attempt that was not started */
	bool lasting; /* that error will not pass by itself (rule 54) */
	bool no_interpreter; /* ENOENT is about that: the program is there */
	bool past_deadline; /* cut by --deadline, not by --timeout */
	bool by_forwarded; /* killed by a signal that we passed on */
	int end_signal; /* HUP INT QUIT TERM that came meanwhile, or 0 */
	int late_end_signal; /* such a one that found the command dead */
	struct signal_set forwarded; /* signals passed on */
	bool tree_unseen; /* only COMMAND was signalled: /proc shows no more */
	struct unended unended;
	struct evidence evidence;
	int64_t limit_ns; /* what a timed-out attempt had; 0: cut by --grace */
	int64_t started_ns; /* on the clock of the loop */
	int64_t ended_ns;
};

/* The outcome of an attempt that fork or exec refused with ERROR. */
struct outcome outcome_not_started(int error);

/* The kind, status and signal of a wait(2) status. */
struct outcome outcome_of_wait(int wait_status);

/* The signal that told us to end during the attempt, or right after it; 0. */
int outcome_told(const struct outcome *outcome);

/* SIGNAL is 1 to SIGNAL_SET_MOST. */
void signal_set_add(struct signal_set *set, int signal);
bool signal_set_has(const struct signal_set *set, int signal);
bool signal_set_is_empty(const struct signal_set *set);

/* What $? would be in a shell: 0..255. */
int outcome_status(const struct outcome *outcome);

#endif
