/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_REASON_H
#define BACKOFF_CORE_WORDS_REASON_H
/*
 * REASON: why an attempt ended as it did, and why no other one follows.
 */

#include <stdbool.h>

#include "core/base/text.h"
#include "core/loop/loop_state.h"
#include "core/loop/settings.h"

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

/* Only what happened. */
void reason_outcome(struct text *text, const struct outcome *outcome);

/* Adds BEFORE and the process that backoff could not end, if there is one. */
void reason_unended(
    struct text *text, const char *before, const struct unended *unended);

/* "succeeded, 1 of 3 in a row" */
void reason_streak(struct text *text, const struct loop_state *state,
    const struct limits *limits);

/*
 * The REASON of the closing line. NAME is COMMAND's first word: if it was not
 * found, the text says what it may have been meant as. LINE gets the line of
 * output that belongs to it, or NULL; if LINE is NULL, the text quotes it.
 * False: there is no REASON, and nothing is added.
 */
bool reason_of_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name,
    const char **line);

/* BEFORE, and the wait that was asked for: "9m10s, until 14:24:53". */
void reason_asked(
    struct text *text, const char *before, const struct hint *hint);

#endif
