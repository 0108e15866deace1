/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_WORDS_H
#define BACKOFF_CORE_BASE_WORDS_H
/*
 * Words, whatever the locale is: at the beginning of a text, and the known one
 * that an unknown one is probably a slip for.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

/*
 * Those that skip return the rest of TEXT, or NULL if it begins with something
 * else.
 */

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

struct nearest {
	const char *word; /* the unknown one, of LENGTH bytes */
	size_t length;
	const char *found; /* the nearest so far, of FOUND_LENGTH, or NULL */
	size_t found_length;
	size_t distance; /* only words with fewer slips are accepted */
};

/* WORD must outlive the search. A word of 1 or 2 letters finds nothing. */
struct nearest nearest_to(const char *word, size_t length);

/*
 * Offers a known word of LENGTH bytes. It is near if the unknown word is a
 * beginning of it, or differs by at most two slips (by one if it has fewer
 * than six letters): a letter too many, missing or wrong, or two that changed
 * places. Case does not matter. NAME must outlive the search.
 */
void nearest_offer(struct nearest *nearest, const char *name, size_t length);

/* Offers each word of a list with single blanks between them. */
void nearest_offer_words(struct nearest *nearest, const char *words);

/* Adds "did you mean BEFORE...?", if something is near. */
bool nearest_ask(
    const struct nearest *nearest, struct text *text, const char *before);

#endif
