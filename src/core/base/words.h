/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_WORDS_H
#define BACKOFF_CORE_BASE_WORDS_H
/*
 * Words at the beginning of a text, whatever the locale is. Those that skip
 * return the rest of TEXT, or NULL if it begins with something else.
 */

#include <stdbool.h>

/* Blanks and tabs, if there are any. */
const char *skip_blanks(const char *text);

/* WORD, in any case, behind which no letter, digit or underscore stands. */
const char *skip_word(const char *text, const char *word);

/*
 * The same for a small regular expression: (a|b) is one of several, a blank is
 * some blanks, and "_" may be one of "_" and "-". At its end, "_" is itself.
 * (Those of regcomp(3) allocate, need a locale, and take ten times as long.)
 */
const char *skip_pattern(const char *text, const char *pattern);

/* Whether PATTERN matches at the beginning of a word from FROM up to END. */
bool has_pattern(const char *from, const char *end, const char *pattern);

#endif
