/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_MESSAGE_H
#define BACKOFF_CORE_WORDS_MESSAGE_H
/*
 * The text lines of the log, and REASON in them: why an attempt ended as it
 * did, and why no other one follows. Each function adds its text without prefix
 * and newline.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/judge/outcome.h"
#include "core/loop/loop.h"

#define REASON_SIZE 512 /* room for any REASON */

/*
 * "exit 7 (could not connect) \"curl: (7) ...\"", "killed by SEGV", "output
 * matches 'denied'": what happened, what the tool's table says about it, the
 * user's rule that made it a stop or a success, and a line of stderr.
 */
void reason_text(struct text *text, const struct outcome *outcome);

/* The same without that line: for JSON, and for other runs to read. */
void reason_without_line(struct text *text, const struct outcome *outcome);

/* The line of output that reason_text() quotes, or NULL. */
const char *reason_line(const struct outcome *outcome);

/*
 * The REASON of the closing line. NAME is COMMAND's first word: if it was not
 * found, the text says what it was probably meant as. LINE gets the line of
 * output that belongs to it, or NULL; if LINE is NULL, the text quotes it.
 * Returns false and adds nothing if there is no REASON.
 */
bool reason_of_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name,
    const char **line);

/* Counts failures in a row with the same REASON. Starts with all zero. */
struct repeats {
	char reason[REASON_SIZE];
	int64_t count;
	uint64_t quote; /* a hash of the line that REASON quotes; 0: none */
	bool has_same_quote; /* as the failure before */
};

/*
 * Counts an attempt, unless it is a success. The first ten in a row have a line
 * each, then every tenth: returns for how many before it the line of this one
 * speaks, too; -1: it has none.
 */
int64_t repeats_count(struct repeats *repeats, const struct loop_state *state);

/* What the line of an attempt says besides its outcome. */
struct sequel {
	int64_t pause_ns; /* or PAUSE_AT_GATE; the last attempt has no line */
	const char *pause_end; /* the time of day, or "" */
	int64_t skipped; /* how many failures just before it had no line */
	const char *notes; /* "" or what follows REASON: " (...)" */
};

/* "attempt 2/8 failed after 4.1s: exit 7; next in 2.1s" */
void message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct sequel *sequel);

/*
 * "giving up after 8 attempts in 21.4s: exit 7". NAME is the command's first
 * word: if it was not found, the line says how to write a shell function.
 */
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

#endif
