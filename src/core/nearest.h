/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_NEAREST_H
#define BACKOFF_CORE_NEAREST_H
/*
 * Which known word somebody may have meant by an unknown one.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

struct nearest {
	const char *word; /* the unknown one, of LENGTH bytes */
	size_t length;
	const char *found; /* the nearest so far, of FOUND_LENGTH, or NULL */
	size_t found_length;
	size_t distance; /* what comes in question is below it */
};

/* WORD must outlive the search; nothing is near a word of 1 or 2 letters. */
struct nearest nearest_to(const char *word, size_t length);

/*
 * Another known word of LENGTH bytes. Near is what one slip (in a word of
 * less than six letters) or two can turn into it: a letter more, less or
 * wrong, or two that changed places; and what begins with the unknown word.
 * Capitals do not matter. NAME must outlive the search.
 */
void nearest_offer(struct nearest *nearest, const char *name, size_t length);

/* The same of each word of a list with single blanks between them. */
void nearest_offer_words(struct nearest *nearest, const char *words);

/* Adds "did you mean BEFORE...?", if something is near. */
bool nearest_ask(
    const struct nearest *nearest, struct text *text, const char *before);

#endif
