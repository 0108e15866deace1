/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/text.h"
#include "streams/line_regex.h"

/* Finds the longest run of plain characters that each match must contain. */
static void
find_literal(const char *regex, char *literal, size_t size)
{
	size_t best = 0;
	int depth = 0; /* of groups, which may be alternatives */

	for (*literal = '\0'; *regex != '\0';) {
		size_t length = strcspn(regex, ".[]()*+?{}|^$\\");
		const char *end = regex + length;

		/* Its last character may be there zero times. */
		if (length > 0 && *end != '\0' && strchr("*+?{", *end) != NULL)
			length--;
		if (depth == 0 && length > best) {
			best = length < size ? length : size - 1;
			memcpy(literal, regex, best);
			literal[best] = '\0';
		}
		if (depth == 0 && *end == '|') {
			*literal = '\0';
			return;
		}
		depth += *end == '(';
		depth -= *end == ')' && depth > 0;
		if (*end == '[') {
			regex = regex_skip_bracket(end);
			continue;
		}
		if (*end == '{')
			end += strcspn(end, "}");
		else if (*end == '\\')
			end++;
		regex = *end == '\0' ? end : end + 1;
	}
}

const char *
line_regex_compile(struct line_regex *regex, const char *text, int flags)
{
	static char why[128];
	struct text reason = text_in(why, sizeof why);
	size_t size = 3 * strlen(text) + 1;
	char *buffer = malloc(size);
	struct text rewritten;
	const char *escape;
	int code;

	if (buffer == NULL)
		return "no memory for it";
	rewritten = text_in(buffer, size);
	escape = regex_text(&rewritten, text);
	text_add(&reason, "expected an extended regular expression");
	if (escape != NULL) {
		text_add(&reason, " without \\");
		text_byte(&reason, escape[1]);
		text_add(&reason, " (\\\\ is a backslash)");
		free(buffer);
		return why;
	}
	regex->text = text;
	find_literal(buffer, regex->literal, sizeof regex->literal);
	code = regcomp(&regex->compiled, buffer, REG_EXTENDED | flags);
	free(buffer);
	if (code == 0)
		return NULL;
	text_add(&reason, ": ");
	regerror(code, &regex->compiled, why + reason.length,
	    sizeof why - reason.length);
	return why;
}

const char *
line_regex_of_user(struct line_regex *regex, const char *text, int flags)
{
	/* It would match every line: probably a variable that is not set. */
	if (*text == '\0')
		return "expected a regular expression";
	if (strchr(text, '\n') != NULL)
		return "expected a regular expression for one line";
	return line_regex_compile(regex, text, flags);
}
