/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_MESSAGE_H
#define BACKOFF_CORE_WORDS_MESSAGE_H
/*
 * The text lines of the log. Each function adds its line without prefix and
 * newline, or nothing if there is nothing to say.
 */

#include <stdint.h>

#include "core/base/text.h"
#include "core/judge/exit_codes.h"
#include "core/loop/loop_state.h"
#include "core/loop/settings.h"
#include "core/words/reason.h"

/* Counts failures in a row with the same REASON. Starts with all zero. */
struct repeats {
	char reason[REASON_SIZE];
	int64_t count;
};

/*
 * Counts an attempt. Returns its number among the failures in a row with the
 * same REASON: 1 if its REASON is not that of the attempt before, 0 if it is
 * no failure.
 */
int64_t repeats_count(struct repeats *repeats, const struct loop_state *state);

/* Whether to print failure number COUNT: from the tenth on, every tenth. */
bool repeats_are_told(int64_t count);

/*
 * "attempt 2/8 failed after 4.1s: exit 7; next in 2.1s". If it is not the
 * first failure with this REASON (REPEATS > 1), that is "(same as before)".
 */
void message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t repeats, int64_t pause_ns);

/*
 * "giving up after 8 attempts in 21.4s: exit 7". NAME is the command's first
 * word: if it was not found, the line says how to write a shell function.
 */
void message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name);

/* What may be amiss besides the verdict on an attempt. */
enum mishap {
	MISHAP_UNSTOPPED, /* --tool would have stopped after it */
	MISHAP_ZERO_UNCOUNTED, /* exit 0 could count without --success-if */
	MISHAP_STRAY_OUTPUT, /* in stdout's file, before that of the next one */
	/* Those above end another line, the others have one of their own. */
	MISHAP_MISSED_WAIT, /* servers that say so state one, as a rule */
	MISHAP_UNREAD_WAIT,
	MISHAP_NO_HINT_FILE,
	MISHAP_FULL_HOLD, /* a success, and no room for its output */
	MISHAP_SILENT, /* no line for a verdict that needs one */
	MISHAPS
};

/*
 * Returns what is amiss, or NULL. Adds what a LINE says of it, and the REASON
 * for an event. HEADERS are options with which COMMAND prints headers, or NULL.
 */
const char *message_mishap(struct text *line, struct text *reason,
    enum mishap mishap, const struct loop_state *state, const char *headers);

/* What else --verbose says about an attempt. */
enum note {
	NOTE_FORWARDED, /* the signals that were passed on */
	NOTE_KILLED, /* what had to be killed, and which option did it */
	NOTE_UNSEEN_TREE,
	NOTE_UNREADABLE_HINT,
	/*
	 * COMMAND was killed by a signal N, and CODES list N or 128+N, which
	 * are exit statuses: probably not what was meant.
	 */
	NOTE_SIGNAL_AS_STATUS,
	NOTES
};

/* Adds a note. Returns false if there is nothing of that kind to say. */
bool message_note(struct text *text, enum note note,
    const struct outcome *outcome, const struct codes *codes);

#endif
