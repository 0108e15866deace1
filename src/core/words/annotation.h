/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_ANNOTATION_H
#define BACKOFF_CORE_WORDS_ANNOTATION_H
/*
 * Workflow commands of GitHub Actions, whose runner reads them from the lines
 * of a step: one that backoff means, and none by whatever bytes stand in its
 * log. (text_printable() has removed line breaks and control characters.)
 */

#include "core/base/text.h"

enum annotation {
	ANNOTATION_WARNING,
	ANNOTATION_ERROR,
};

/*
 * Adds "::warning title=backoff%3A NAME::MESSAGE" or "::error ...", with what
 * the runner would read as more than that escaped.
 */
void annotation_text(struct text *text, enum annotation kind, const char *name,
    const char *message);

/*
 * Makes a line of the log, which begins with "backoff: ", no command: the older
 * "##[command]" would be found anywhere in it.
 */
void annotation_defuse(char *line);

#endif
