/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_REMARKS_H
#define BACKOFF_CORE_WORDS_REMARKS_H
/*
 * What the log says about an attempt besides its outcome: what else may have
 * gone wrong, and what --verbose adds.
 */

#include <stdbool.h>

#include "core/base/text.h"
#include "core/judge/outcome.h"
#include "core/loop/loop.h"

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

#endif
