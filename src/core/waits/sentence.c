/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/waits/sentence.h"

/* An array, because a pointer would have to be relocated at every start. */
struct sentence_row {
	char words[24];
	bool needs_unit;
};

static const struct sentence_row sentences[] = {
#define SENTENCE(words, source) { words, false },
#define UNIT_SENTENCE(words, source) { words, true },
#include "core/waits/waits.def"
};

/* The rest of TEXT if it begins with these words, or NULL. */
static const char *
skip_words(const char *text, const char *words)
{
	char word[16];
	const char *rest = NULL;

	while (*words != '\0') {
		size_t length = strcspn(words, " |");

		memcpy(word, words, length);
		word[length] = '\0';
		rest = skip_word(text, word);
		words += length;
		if (*words == '|' && rest == NULL) {
			words++;
			continue;
		}
		/* One of several is enough, and they are the last. */
		if (rest == NULL || *words != ' ')
			return rest;
		text = skip_blanks(rest);
		if (text == rest)
			return NULL;
		words++;
	}
	return rest;
}

/* A dash: "-" that is no sign, or one of those that Unicode has. */
static const char *
skip_dash(const char *text)
{
	if (text[0] == '-' && (text[1] == ' ' || text[1] == '-'))
		return text + 1;
	if (strncmp(text, "\xe2\x80", 2) == 0 && text[2] >= '\x90'
	    && text[2] <= '\x95')
		return text + 3;
	return NULL;
}

/* The rest of TEXT after one thing that may stand in front of a WHEN. */
static const char *
skip_one_between(const char *text)
{
	static const char words[][16]
	    = { "for", "about", "approximately", "another" };
	const char *rest = *text == ':' ? text + 1 : skip_dash(text);

	for (size_t i = 0; rest == NULL && i < ARRAY_LENGTH(words); i++)
		rest = skip_word(text, words[i]);
	return rest;
}

const char *
sentence_skip_between(const char *text)
{
	const char *rest = text;

	while (rest != NULL) {
		text = skip_blanks(rest);
		rest = skip_one_between(text);
	}
	return text;
}

/* Whether a NUMBER that ends here is no number of something else. */
static bool
ends_number(const char *rest)
{
	const char *at = rest + strspn(rest, " \t\r");

	if (*at == '\0' || strchr(".,:;!?)]}>\"'`\\<", *rest) != NULL)
		return true;
	/* Quotes, and the ellipsis. */
	return strncmp(rest, "\xe2\x80", 2) == 0
	    && ((rest[2] >= '\x98' && rest[2] <= '\x9f') || rest[2] == '\xa6');
}

static bool
scan_sentence(
    const char *word, const struct sentence_row *row, struct when *when)
{
	const char *rest = skip_words(word, row->words);

	if (rest == NULL)
		return false;
	rest = when_scan(sentence_skip_between(rest), when);
	if (rest == NULL)
		return false;
	if (row->needs_unit && when->kind != WHEN_DURATION)
		return false;
	return !when->is_number || (!row->needs_unit && ends_number(rest));
}

bool
sentence_read(const char *word, struct when *when)
{
	for (size_t i = 0; i < ARRAY_LENGTH(sentences); i++)
		if (scan_sentence(word, &sentences[i], when))
			return true;
	return false;
}
