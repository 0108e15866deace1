/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "core/known/known.h"

/*
 * What tables.awk makes of the *.tbl. A pointer to a text would be four times
 * as large as an offset, and would have to be relocated before main.
 */
#include <tables.h>

_Static_assert(sizeof texts <= UINT16_MAX, "an offset has 16 bits");
_Static_assert(MOST_MESSAGES <= TOOL_MESSAGES, "too many");

const char *
known_text(uint16_t offset)
{
	return texts + offset;
}

const struct tool *
tool_named(const char *name)
{
	for (const struct tool *tool = known_tools; tool->name != 0; tool++)
		if (strcmp(known_text(tool->name), name) == 0
		    || words_have(
		        known_text(tool->aliases), name, strlen(name)))
			return tool;
	return NULL;
}

const struct tool_row *
tool_code(const struct tool *tool, int status)
{
	for (int i = tool->codes; i < tool->messages; i++)
		if (known_rows[i].low <= status && status <= known_rows[i].high)
			return &known_rows[i];
	return NULL;
}

bool
tool_needs_message(const struct tool *tool, int status)
{
	const struct tool_row *code = tool_code(tool, status);
	const struct tool_row *row = &known_rows[tool->messages];

	for (; code != NULL && row < &known_rows[tool->end]; row++)
		if (row->low <= status && status <= row->high
		    && row->verdict != code->verdict)
			return true;
	return false;
}

/* Whether WORD is one of OPTIONS, or has one of their letters. */
static bool
is_option(const char *word, const char *options)
{
	bool found = words_have(options, word, length_before(word, '='));

	if (word[0] == '-' && word[1] != '-')
		while (!found && *++word != '\0')
			found = words_have(
			    options, (const char[]) { '-', *word }, 2);
	return found;
}

const char *
headers_missing(const struct tool *tool, char *const *argv)
{
	if (tool == NULL || tool->headers == 0)
		return NULL;
	for (; *argv != NULL; argv++)
		if (is_option(*argv, known_text(tool->headers)))
			return NULL;
	return known_text(tool->no_headers);
}

const struct preset *
preset_named(const char *name)
{
	const struct preset *preset = known_presets;

	for (; preset->name != 0; preset++)
		if (strcmp(known_text(preset->name), name) == 0)
			return preset;
	return NULL;
}
