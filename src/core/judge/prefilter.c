/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/base/regex_text.h"
#include "core/judge/prefilter.h"

/* The current run of plain characters, and the longest one so far. */
struct literal {
	char run[PREFILTER_SIZE];
	size_t length;
	char best[PREFILTER_SIZE];
};

static void
end_run(struct literal *literal)
{
	literal->run[literal->length] = '\0';
	if (literal->length > strlen(literal->best))
		memcpy(literal->best, literal->run, literal->length + 1);
	literal->length = 0;
}

/* Returns the end of the group that TEXT begins with. */
static const char *
skip_group(const char *text)
{
	int depth = 0;

	while (*text != '\0') {
		if (*text == '[') {
			text = regex_skip_bracket(text);
			continue;
		}
		depth += *text == '(';
		depth -= *text == ')';
		text += *text == '\\' && text[1] != '\0' ? 2 : 1;
		if (depth == 0)
			break;
	}
	return text;
}

/* A repetition may allow zero times, so its character does not count. */
static const char *
skip_repetition(struct literal *literal, const char *text)
{
	const char *end = text;
	bool all_plus = true;

	while (*end != '\0' && strchr("*+?{", *end) != NULL) {
		all_plus = all_plus && *end == '+';
		if (*end == '{')
			end += strcspn(end, "}");
		end += *end != '\0';
	}
	if (!all_plus && literal->length > 0)
		literal->length--;
	end_run(literal);
	return end;
}

void
prefilter_find(const char *text, char literal_text[PREFILTER_SIZE])
{
	struct literal literal = { .length = 0 };

	while (*text != '\0') {
		if (*text == '|') {
			literal.best[0] = '\0';
			literal.length = 0;
			break;
		}
		if (strchr("*+?{", *text) != NULL) {
			text = skip_repetition(&literal, text);
			continue;
		}
		if (strchr("[(", *text) != NULL) {
			end_run(&literal);
			text = *text == '[' ? regex_skip_bracket(text)
			                    : skip_group(text);
			continue;
		}
		if (*text == '\\' && text[1] != '\0'
		    && strchr(".[]\\()*+?{}|^$/", text[1]) != NULL) {
			text++;
		} else if (strchr(".^$)\\", *text) != NULL) {
			end_run(&literal);
			text += *text == '\\' && text[1] != '\0' ? 2 : 1;
			continue;
		}
		if (literal.length + 1 >= sizeof literal.run)
			end_run(&literal);
		literal.run[literal.length++] = *text++;
	}
	end_run(&literal);
	memcpy(literal_text, literal.best, sizeof literal.best);
}
