/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_ANNOTATION_H
#define BACKOFF_CORE_ANNOTATION_H
/*
 * Workflow commands of GitHub Actions, whose runner reads them from the lines
 * of a step: one of ours, and none by whatever bytes we are given. (Line
 * breaks and other control characters are gone before: text_printable().)
 */

#include "core/text.h"

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
 * Makes a line of ours, which begins with our name, no command: the older
 * "##[command]" would be found anywhere in it.
 */
void annotation_defuse(char *line);

#endif
