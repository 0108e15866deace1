/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/regex_text.h"
#include "core/base/text.h"
#include "streams/line_regex.h"

const char *
line_regex_compile(
    regex_t *regex, const char *text, int flags, char literal[PREFILTER_SIZE])
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
	prefilter_find(buffer, literal);
	code = regcomp(regex, buffer, REG_EXTENDED | flags);
	free(buffer);
	if (code == 0)
		return NULL;
	text_add(&reason, ": ");
	regerror(code, regex, why + reason.length, sizeof why - reason.length);
	return why;
}

const char *
line_regex_of_user(
    regex_t *regex, const char *text, int flags, char literal[PREFILTER_SIZE])
{
	/* It would match every line: probably a variable that is not set. */
	if (*text == '\0')
		return "expected a regular expression";
	if (strchr(text, '\n') != NULL)
		return "expected a regular expression for one line";
	return line_regex_compile(regex, text, flags, literal);
}
