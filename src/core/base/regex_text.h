/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_REGEX_TEXT_H
#define BACKOFF_CORE_BASE_REGEX_TEXT_H
/*
 * Translates a regular expression as people write it for regcomp(3), which
 * silently takes "\d" for "d".
 */

#include "core/base/text.h"

/*
 * Adds REGEX to OUT, with \d, \D and \t as people mean them; inside brackets a
 * backslash stands for itself (POSIX, XBD 9.3.5). The text grows at most
 * threefold. Returns NULL, or the backslash in REGEX that is refused, because
 * neither POSIX nor GNU gives the letter or digit after it a meaning. "\1" and
 * "\n" are refused too: a back-reference may take for ever, and no line
 * contains a newline.
 */
const char *regex_text(struct text *out, const char *regex);

/* Returns the end of the bracket expression that REGEX begins with. */
const char *regex_skip_bracket(const char *regex);

#endif
