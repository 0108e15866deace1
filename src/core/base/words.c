/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/base/words.h"

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
