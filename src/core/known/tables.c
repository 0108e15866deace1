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

/* --- tools --- */

const struct tool *
tool_at(size_t index)
{
	return index < ARRAY_LENGTH(tools) ? &tools[index] : NULL;
}

const struct tool *
tool_named(const char *name)
{
	const struct tool *tool;

	for (size_t i = 0; (tool = tool_at(i)) != NULL; i++)
		if (strcmp(known_text(tool->name), name) == 0
		    || words_have(
		        known_text(tool->aliases), name, strlen(name)))
			break;
	return tool;
}

const struct tool_row *
tool_code_at(const struct tool *tool, size_t index)
{
	return index < tool->codes ? &rows[tool->rows + index] : NULL;
}

const struct tool_row *
tool_message_at(const struct tool *tool, size_t index)
{
	return index < tool->messages ? &rows[tool->rows + tool->codes + index]
	                              : NULL;
}

const struct tool_row *
tool_code(const struct tool *tool, int status)
{
	const struct tool_row *row;

	for (size_t i = 0; (row = tool_code_at(tool, i)) != NULL; i++)
		if (row->low <= status && status <= row->high)
			break;
	return row;
}

bool
tool_needs_message(const struct tool *tool, int status)
{
	const struct tool_row *code = tool_code(tool, status), *row;

	for (size_t i = 0; (row = tool_message_at(tool, i)) != NULL; i++)
		if (code != NULL && row->low <= status && status <= row->high
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

/* --- wrappers and presets --- */

const struct wrapper *
wrapper_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(wrappers); i++)
		if (strcmp(known_text(wrappers[i].name), name) == 0)
			return &wrappers[i];
	return NULL;
}

const struct preset *
preset_at(size_t index)
{
	return index < ARRAY_LENGTH(presets) ? &presets[index] : NULL;
}

const struct preset *
preset_named(const char *name)
{
	const struct preset *preset;

	for (size_t i = 0; (preset = preset_at(i)) != NULL; i++)
		if (strcmp(known_text(preset->name), name) == 0)
			break;
	return preset;
}
