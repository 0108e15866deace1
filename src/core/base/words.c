/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/words.h"

/* --- at the beginning of a text --- */

const char *
skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

const char *
skip_word(const char *text, const char *word)
{
	size_t length;

	if (((*text ^ *word) & 31) != 0)
		return NULL;
	length = strlen(word);
	if (strncasecmp(text, word, length) != 0 || is_of_word(text[length]))
		return NULL;
	return text + length;
}

/* Skips up to one of (|) or the end of *PATTERN, which moves on. */
static const char *
skip_plain(const char **pattern, const char *text)
{
	for (;; ++*pattern) {
		char wanted = **pattern, c = *text;

		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		if (wanted == '\0' || wanted == '|' || wanted == '('
		    || wanted == ')')
			return text;
		if (wanted == '_')
			text += c == '_' || c == '-';
		else if (wanted == ' ' && (c == ' ' || c == '\t'))
			text = skip_blanks(text);
		else if (wanted == c)
			text++;
		else
			return NULL;
	}
}

const char *
skip_pattern(const char *text, const char *pattern)
{
	text = skip_plain(&pattern, text);
	if (text == NULL)
		return NULL;
	if (*pattern == '\0')
		return pattern[-1] != '_' && is_of_word(text[-1])
		        && is_of_word(*text)
		    ? NULL
		    : text;
	for (const char *end = strchr(pattern, ')') + 1; *pattern != ')';) {
		const char *rest;

		pattern++;
		rest = skip_plain(&pattern, text);
		if (rest != NULL)
			rest = skip_pattern(rest, end);
		if (rest != NULL)
			return rest;
		while (*pattern != '|' && *pattern != ')')
			pattern++;
	}
	return NULL;
}

bool
has_pattern(const char *from, const char *end, const char *pattern)
{
	for (const char *at = from; at < end; at++)
		if ((at == from || (!is_of_word(at[-1]) && at[-1] != '-'))
		    && skip_pattern(at, pattern) != NULL)
			return true;
	return false;
}

/* --- the nearest one --- */

#define LONGEST 24 /* longer words are not compared */

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many slips turn A into B, both at most LONGEST long: the distance of
 * optimal string alignment, row by row of its matrix, of which the last three
 * are enough.
 */
static size_t
slips(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST + 1];
	size_t *row = rows[0];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		const size_t *above = rows[(i + 2) % 3];
		const size_t *before = rows[(i + 1) % 3];

		row = rows[i % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			row[j] = least(least(above[j], row[j - 1]) + 1,
			    above[j - 1] + !same);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2])
			    && lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b_length];
}

struct nearest
nearest_to(const char *word, size_t length)
{
	return (struct nearest) {
		.word = word,
		.length = length,
		.distance = length < 3 || length > LONGEST ? 0
		    : length < 6                           ? 2
		                                           : 3,
	};
}

void
nearest_offer(struct nearest *nearest, const char *name, size_t length)
{
	size_t distance;

	if (length > LONGEST || nearest->distance == 0)
		return;
	if (length > nearest->length
	    && strncasecmp(name, nearest->word, nearest->length) == 0)
		distance = 1;
	else
		distance = slips(nearest->word, nearest->length, name, length);
	if (distance >= nearest->distance)
		return;
	nearest->found = name;
	nearest->found_length = length;
	nearest->distance = distance;
}

void
nearest_offer_words(struct nearest *nearest, const char *words)
{
	while (*words != '\0') {
		size_t length = strcspn(words, " ");

		nearest_offer(nearest, words, length);
		words += length;
		words += *words == ' ';
	}
}

bool
nearest_ask(
    const struct nearest *nearest, struct text *text, const char *before)
{
	if (nearest->found == NULL)
		return false;
	text_join(text, "did you mean ", before);
	for (size_t i = 0; i < nearest->found_length; i++)
		text_byte(text, nearest->found[i]);
	text_byte(text, '?');
	return true;
}
