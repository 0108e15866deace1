/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_NEAREST_H
#define BACKOFF_CORE_BASE_NEAREST_H
/*
 * Finds the known word that an unknown one is probably a slip for.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

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
