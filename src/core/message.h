/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_MESSAGE_H
#define BACKOFF_CORE_MESSAGE_H
/*
 * The words of the log: what one event is in text. Each function adds its
 * line without prefix and newline, or nothing where there is none to say.
 */

#include <stdint.h>

#include "core/exit_codes.h"
#include "core/loop_state.h"
#include "core/reason.h"
#include "core/settings.h"
#include "core/text.h"

/* Failures in a row that have the same REASON. Zero is the start. */
struct repeats {
	char reason[REASON_SIZE];
	int64_t count;
};

/*
 * Counts an attempt in. Returns its number among the failures in a row that
 * have its REASON: 1 for one with another REASON than the one before, 0 for
 * what is no failure.
 */
int64_t repeats_count(struct repeats *repeats, const struct loop_state *state);

/* Whether failure number COUNT is worth a line: from the tenth on, few are. */
bool repeats_are_told(int64_t count);

/*
 * "attempt 2/6 failed after 4.1s: exit 7; next in 2.1s". It is failure number
 * REPEATS with its REASON; from 2 on that is "(same as before)".
 */
void message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t repeats, int64_t pause_ns);

/*
 * "giving up after 6 attempts in 21.4s: exit 7". NAME is the command's
 * first word, for the hint on what a shell would have found.
 */
void message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name);

/* --retry-after lacks its line. OPTIONS make COMMAND print it, or NULL. */
void message_missing_header(struct text *text, const char *options);

/* What --verbose tells of an attempt besides. */
enum note {
	NOTE_FORWARDED, /* the signals that were passed on */
	NOTE_KILLED, /* what had to be killed, and by which option's time */
	NOTE_UNSEEN_TREE,
	NOTE_UNREADABLE_HINT,
	/*
	 * A death by the signal whose number, or 128 more, CODES have as an
	 * exit status, which was hardly meant.
	 */
	NOTE_SIGNAL_AS_STATUS,
	NOTES
};

/* False: there is nothing of that kind to be told. */
bool message_note(struct text *text, enum note note,
    const struct outcome *outcome, const struct codes *codes);

#endif
