/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_OUTCOME_H
#define BACKOFF_CORE_JUDGE_OUTCOME_H
/*
 * How an attempt ended, as plain data, and the verdict on it; CODES, the sets
 * of outcomes that --success-on and its like take; the names of signals.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/base.h"

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

/* Which rule made an outcome what it is. */
enum rule {
	RULE_DEFAULT, /* no rule that the user gave */
	RULE_HINT, /* a verdict in BACKOFF_HINT */
	RULE_MATCH, /* a REGEX that matches */
	RULE_NO_MATCH, /* exit 0 without the line that --success-if needs */
	RULE_STOP_ON,
	RULE_SUCCESS_ON,
	RULE_CODES, /* CODES that the user gave */
	RULE_TOOL,
	RULE_UNLISTED, /* it is not in --retry-on */
	RULE_UNMATCHED, /* only --retry-if was given, and no line matches */
};

/* What is known about a stated wait; later values outrank earlier ones. */
enum stated {
	STATED_UNWANTED, /* nobody looked for it */
	STATED_MISSING,
	STATED_EMPTY, /* a header without a value */
	STATED_UNREADABLE,
	STATED_READ,
};

#define UNTIL_SIZE 24

/*
 * What BACKOFF_HINT asked for, or a stated wait in the output. All zero:
 * nothing.
 */
struct hint {
	enum verdict verdict; /* or VERDICT_NONE */
	bool has_wait; /* it asked for a wait of wait_ns */
	bool by_output; /* found in the output; void after a success */
	int64_t wait_ns; /* from the end of the attempt */
	char until[UNTIL_SIZE]; /* that moment by a local clock, or "" */
	enum stated stated; /* what --retry-after has found */
	const char *unread; /* a text that should have been a time, or NULL */
	bool unread_in_file; /* it stood in BACKOFF_HINT */
	int unreadable; /* number of lines of BACKOFF_HINT without a meaning */
	const char *nowhere; /* "WHERE: WHY" it could not be made, or NULL */
};

/* What the output of an attempt says. */
struct match {
	enum verdict verdict; /* of the condition that matched, or NONE */
	const char *pattern;
	const char *last_line; /* of stderr, or the one that matched; NULL:
	                        * stderr was not watched */
	bool is_silent; /* the stream of the tool's messages was empty */
	bool is_passed_on; /* that line has been written to our stderr */
};

/* What is known about the exit status or a message. */
struct tool_advice {
	enum verdict verdict; /* or VERDICT_NONE */
	const char *meaning; /* "could not connect", or NULL */
	bool states_wait; /* a 503, with which servers usually state one */
	const char *silent; /* the tool, where a message is missing; or NULL */
	bool would_stop; /* the table says so, but --tool was not given */
};

/* Whether the next attempt can read the same input. */
struct input_fate {
	bool lost;
	int64_t taken; /* how many bytes of it were read */
	int error; /* why it is lost: errno, or 0 for --spool-limit */
	const char *directory; /* where it should have been kept */
};

/* A stream that backoff could not pass on to or from COMMAND. */
struct stream_failure {
	const char *stream; /* "stdin", "output", or NULL: none failed */
	int error; /* errno */
	int signal; /* by which backoff dies because of it, or 0 */
	bool is_final; /* it counts whatever the attempt's own outcome is */
	bool cut_off; /* a signal ended backoff before all was passed on */
};

/* What is known about an attempt besides its status. All zero: nothing. */
struct evidence {
	struct hint hint;
	struct match match;
	struct tool_advice tool;
	struct input_fate input;
	struct stream_failure failure;
	int64_t stray_bytes; /* bytes that it added to the file at stdout */
	const char *full; /* the directory of held output, if that is full */
};

struct named_process {
	int64_t pid; /* or 0: there is none */
	char name[16]; /* as ps(1) shows it, any bytes; "": it is not known */
};

/* What a signal to the processes of an attempt has reached. */
struct census {
	int reached; /* so many processes */
	int refused; /* others, that may not be signalled (EPERM) */
	struct named_process met; /* the first of the reached */
	struct named_process unended; /* the first of the refused */
	bool unseen; /* only COMMAND, or its group, was signalled */
};

/* Exit statuses, as a shell, timeout(1) and sysexits.h have them. */
#define STATUS_DEFERRED 75 /* EX_TEMPFAIL */
#define STATUS_TIMED_OUT 124
#define STATUS_ERROR 125
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128 /* plus the signal */

struct outcome {
	enum outcome_kind kind;
	int status; /* exit status, or -1; also of a timed-out attempt */
	int signal; /* that killed it, or 0; also of a timed-out attempt */
	int error; /* errno of an attempt that was not started */
	bool no_interpreter; /* ENOENT, but only the interpreter is missing */
	bool is_here; /* not started, but a file of that name is here */
	const char *wrapper; /* what was not started, before the command; or
	                      * NULL */
	const char *number; /* at the end of the word before COMMAND */
	bool past_deadline; /* cut by --deadline, not by --timeout */
	bool was_silent; /* cut by --idle-timeout, for lack of output */
	bool reader_gone; /* killed by PIPE after our reader had gone */
	bool by_forwarded; /* killed by a signal that was passed on */
	int end_signal; /* that told backoff to end in the attempt, or 0 */
	bool came_late; /* it came when COMMAND had already ended */
	sigset_t forwarded; /* signals passed on; all zero is empty */
	struct census killed; /* what --kill-after or --grace had to kill */
	struct census left; /* by the last signal: who is unended still runs */
	struct evidence evidence;
	enum rule rule; /* that decided the verdict; set with the verdict */
	int64_t limit_ns; /* time limit of the attempt; 0: cut by --grace */
	int64_t started_ns; /* on the clock of the loop */
	int64_t ended_ns;
};

/* The outcome of an attempt that fork or exec refused with ERROR. */
struct outcome outcome_not_started(int error);

/* Sets its status, signal and, unless it has timed out, kind. */
void outcome_take_wait(struct outcome *outcome, int wait_status);

/* SIGNAL (0: none) told backoff to end when COMMAND had already ended. */
void outcome_end_late(struct outcome *outcome, int signal);

/* What $? would be in a shell: 0..255. */
int outcome_status(const struct outcome *outcome);

/* --- signals and CODES --- */

#define EXIT_CODES 256
#define SIGNALS 128 /* 1..127, as on MIPS; most systems have 64 */

/*
 * The verdicts that the user gave, a layer for each width of item; the most
 * specific wins. All zero: none. Exit statuses are those of a command that ran:
 * 127 is not `start`.
 */
struct codes {
	uint8_t exact[EXIT_CODES];
	uint8_t killed[SIGNALS];
	uint8_t timeout;
	uint8_t start;
	uint8_t range[EXIT_CODES];
	uint8_t nonzero;
	uint8_t signal;
	uint8_t any;
};

/* The item of a list that was refused. */
struct codes_fault {
	const char *item; /* within the list; its length follows */
	size_t length;
	/* That it has already, in the same width; NONE: it is no item. */
	enum verdict other;
	int status; /* the first status of a range that has it, or -1 */
};

/*
 * Adds the comma-separated LIST, with or without blanks after the commas,
 * under VERDICT, which must not be VERDICT_NONE. False: FAULT says what is
 * refused.
 */
bool codes_add(struct codes *codes, const char *list, enum verdict verdict,
    struct codes_fault *fault);

/* "TERM", "SIGTERM", "term", "15", "RTMIN+3": its number, or 0. */
int signal_parse(const char *text);

/* Some systems have no real-time signals. */
bool signal_is_real_time(int signal);

/* The name without SIG, or a number such as "34" if it has no name. */
#define SIGNAL(signal) signal_string((char[24]) { "" }, (signal))
const char *signal_string(char string[24], int signal);

/* --- the verdict --- */

struct rules {
	struct codes codes;
	bool listed_only; /* an outcome that nothing matches is a stop */
	bool match_needed; /* exit 0 is a success only if a line matches */
};

/* A verdict, and the rule that decided it. */
struct decision {
	enum verdict verdict;
	enum rule rule;
};

struct decision verdict_of(
    const struct rules *rules, const struct outcome *outcome);

/* A success or a pass: COMMAND has done its work. */
bool verdict_is_good(enum verdict verdict);

/* It is tried again, unless something else ends the loop. */
bool verdict_is_failure(enum verdict verdict);

/* "success", "retry" ...; "" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
