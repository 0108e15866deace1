/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_WORDS_H
#define BACKOFF_CORE_WORDS_WORDS_H
/*
 * What the log says, in text (message.c, remarks.c) and in JSON (json.c). Each
 * function adds its words without prefix and newline.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/loop/loop.h"

/* --- message.c: attempts, and how the run ends --- */

#define REASON_SIZE 512 /* room for any REASON */

/*
 * "exit 7 (could not connect) \"curl: (7) ...\"", "killed by SEGV", "output
 * matches 'denied'": what happened, what the tool's table says about it, the
 * user's rule that made it a stop or a success, and LINE, unless it is NULL.
 */
void reason_text(
    struct text *text, const struct outcome *outcome, const char *line);

/* The line of output that a REASON may quote, or NULL. */
const char *reason_line(const struct outcome *outcome);

/*
 * The REASON of the closing line, if there is one. NAME is COMMAND's first
 * word: if it was not found, the text says what it was probably meant as. LINE
 * gets the line of output that belongs to it, or NULL; if LINE is NULL, the
 * text quotes it.
 */
void reason_of_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name,
    const char **line);

/* Counts failures in a row with the same REASON. Starts with all zero. */
struct repeats {
	uint64_t reason; /* a hash, */
	uint64_t quote; /* one of the line that REASON quotes; 0: none */
	int64_t count;
	bool has_same_quote; /* as the failure before */
};

/*
 * Counts an attempt, unless it is a success. The first ten in a row have a line
 * each, then every tenth: returns for how many before it the line of this one
 * speaks, too; -1: it has none.
 */
int64_t repeats_count(struct repeats *repeats, const struct loop_state *state);

/*
 * "attempt 2/8 failed after 4.1s: exit 7"; SKIPPED failures just before it had
 * no line.
 */
void message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t skipped);

/* "; next in 2m10s, at 03:14:20"; PAUSE_NS may be PAUSE_AT_GATE, END "". */
void message_next(struct text *text, const struct loop_state *state,
    int64_t pause_ns, const char *end);

/* "giving up after 8 attempts in 21.4s: exit 7", as reason_of_end() has it. */
void message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name);

/*
 * A workflow command of GitHub Actions: "::KIND title=backoff%3A
 * NAME::MESSAGE", in which the runner reads no other command or property. KIND
 * is "error" or "warning".
 */
void annotation_text(
    struct text *text, const char *kind, const char *name, const char *message);

/*
 * Changes a line, which begins with "backoff: ", so that the runner
 * finds no "##[command]" of the older kind in it.
 */
void annotation_defuse(char *line);

/* --- remarks.c: what else is said of an attempt; gates --- */

/* What may have gone wrong besides the attempt itself. */
enum mishap {
	MISHAP_UNSTOPPED, /* with --tool this would be the end */
	MISHAP_ZERO_UNCOUNTED, /* exit 0 is no success, due to --success-if */
	MISHAP_STRAY_OUTPUT, /* a failure left output in stdout's file */
	/* Those above are added to the attempt's line, the others have their
	 * own. */
	MISHAP_MISSED_WAIT, /* no wait was stated where one usually is */
	MISHAP_UNREAD_WAIT, /* one was stated, but not as a time */
	MISHAP_NO_HINT_FILE,
	MISHAP_FULL_HOLD, /* no room for the output of a success */
	MISHAP_SILENT, /* --tool found no message to judge by */
	MISHAPS
};

/*
 * Returns what the mishap is about, such as "--tool", or NULL if it has not
 * happened. Adds its text to LINE, and to REASON what an event says. HEADERS
 * names options with which COMMAND prints headers, or is NULL.
 */
const char *mishap_text(struct text *line, struct text *reason,
    enum mishap mishap, const struct loop_state *state, const char *headers);

/* What --verbose adds to the line of an attempt, as lines before it. */
enum note {
	NOTE_FORWARDED, /* the signals that were passed on */
	NOTE_KILLED, /* what had to be killed, and which option did it */
	NOTE_UNSEEN_TREE,
	NOTE_UNREADABLE_HINT,
	/*
	 * COMMAND was killed by signal N, and CODES list N or 128+N as exit
	 * statuses, where the signal was probably meant.
	 */
	NOTE_SIGNAL_AS_STATUS,
	NOTES
};

/* Adds a note. Returns false if there is nothing of that kind to say. */
bool note_text(struct text *text, enum note note, const struct outcome *outcome,
    const struct codes *codes);

enum gate_log {
	GATE_LOG_SHUT, /* by our failure */
	GATE_LOG_WAIT, /* this run waits there */
	GATE_LOG_PROBE, /* our attempt is one */
	GATE_LOG_BACK, /* our success has ended an outage: it is paced */
	GATE_LOG_PACED, /* our refusal was one too many */
	GATE_LOG_OPEN, /* fully: it is no longer paced */
	GATE_LOG_LOST, /* our probe was taken for dead */
};

/* What a line may need. Times are spans. */
struct gate_event {
	enum gate_log kind;
	const char *name; /* of the gate */
	const struct gate *gate; /* as it is now */
	const char *until; /* of SHUT by a stated wait: the time of day */
	int64_t asked_ns; /* then: for how long the server asked */
	int64_t failures; /* of SHUT: so many in a row */
	int64_t probes; /* of BACK: so many were needed */
	int64_t shut_ns; /* of WAIT and BACK: it was shut for so long */
	int64_t waited_ns; /* at the gate, by this run, in all */
	int64_t next_ns; /* until the next attempt may start; < 0: unknown */
};

/* "gate hub shut: exit 7, 3 failures in a row" */
void gate_message(struct text *text, const struct gate_event *event);

/* The rate or limit of a pace: "18/s", "0.4/s". */
void gate_rate_text(struct text *text, double rate);

/*
 * --- json.c: events, one object each, keys in a fixed order. An event is
 * json_begin(), its members, and "}". ---
 */

/*
 * {"time":"2026-11-21T11:40:00.123Z","event":"EVENT","id":"...","name":"..."
 * EPOCH_NS is the time of the event.
 */
void json_begin(struct text *text, int64_t epoch_ns, const char *event,
    const char *id, const char *name);

/*
 * Adds a comma and a member: VALUE as it is, or a string or number. NULL and
 * numbers below 0 become null. In a string, bytes that are not UTF-8 become
 * U+FFFD; what does not fit is cut at a character, and ends with "...".
 */
void json_member(struct text *text, const char *key, const char *value);
void json_member_string(struct text *text, const char *key, const char *string);
void json_member_number(struct text *text, const char *key, int64_t number);
void json_member_seconds(struct text *text, const char *key, int64_t ns);

/* The members of "attempt", "end" and "gate". */
void json_attempt(
    struct text *text, const struct loop_state *state, int64_t pause_ns);
void json_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name);
void json_gate(struct text *text, const struct gate_event *event);

#endif
