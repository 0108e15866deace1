/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_REGEX_TEXT_H
#define BACKOFF_CORE_REGEX_TEXT_H
/*
 * The text of a regular expression as people write it, for regcomp(3), which
 * takes "\d" for "d" without a word.
 */

#include "core/text.h"

/*
 * Adds REGEX to OUT with \d, \D and \t as what people mean by them; inside
 * brackets a backslash stands for itself (POSIX, XBD 9.3.5). The text grows
 * threefold at most. NULL, or the backslash in REGEX before a letter or digit
 * to which neither POSIX nor GNU gives a meaning, "\1" and "\n" included: a
 * back-reference may take for ever, and no line holds a newline.
 */
const char *regex_text(struct text *out, const char *regex);

/* Behind the bracket expression that REGEX begins with. */
const char *regex_skip_bracket(const char *regex);

#endif
