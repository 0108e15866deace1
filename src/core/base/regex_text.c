/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/regex_text.h"

const char *
regex_skip_bracket(const char *regex)
{
	regex++;
	regex += *regex == '^';
	regex += *regex == ']';
	while (*regex != '\0' && *regex != ']') {
		if (*regex == '[' && regex[1] != '\0'
		    && strchr(".:=", regex[1]) != NULL) {
			const char kind[] = { regex[1], ']', '\0' };
			const char *end = strstr(regex + 2, kind);

			regex = end == NULL ? regex + 1 : end + 1;
		}
		regex++;
	}
	return *regex == '\0' ? regex : regex + 1;
}

/* What "\LETTER" is translated to; NULL: it has no meaning. */
static const char *
meaning_of(char letter)
{
	static const struct {
		char letter;
		char meaning[7];
	} escapes[] = {
		{ 'd', "[0-9]" },
		{ 'D', "[^0-9]" },
		{ 't', "\t" },
		/* GNU's own. */
		{ 'w', "\\w" },
		{ 'W', "\\W" },
		{ 's', "\\s" },
		{ 'S', "\\S" },
		{ 'b', "\\b" },
		{ 'B', "\\B" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(escapes); i++)
		if (escapes[i].letter == letter)
			return escapes[i].meaning;
	return NULL;
}

const char *
regex_text(struct text *out, const char *regex)
{
	while (*regex != '\0') {
		const char *end = regex + 1;

		if (*regex == '\\'
		    && (is_letter(regex[1]) || is_digit(regex[1]))) {
			const char *meaning = meaning_of(regex[1]);

			if (meaning == NULL)
				return regex;
			text_add(out, meaning);
			regex += 2;
			continue;
		}
		if (*regex == '[')
			end = regex_skip_bracket(regex);
		else if (*regex == '\\' && regex[1] != '\0')
			end++;
		while (regex < end)
			text_byte(out, *regex++);
	}
	return NULL;
}
