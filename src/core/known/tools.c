/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdint.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/known/tools.h"

/*
 * tools.def is included once for each of the tables below. The texts of all
 * rows are in one struct, and a row holds offsets into it: a pointer would be
 * four times as large, and would have to be relocated before main.
 */
#define PASTE(id, line, field) id##_##line##_##field
#define FIELD(id, line, field) PASTE(id, line, field)
#define OFFSET(id, field) offsetof(struct texts, FIELD(id, __LINE__, field))
/* A macro may be several messages of one line, with a verdict each. */

/* Counts the messages of each tool, as its rows stand together. */
enum message_number {
#define TOOL(id, name, aliases, source, warning) MESSAGES_##id = 0,
#define MESSAGE(id, low, high, verdict, regex, meaning) \
	FIELD(id, __LINE__, verdict##_NUMBER),
#define ON_STDOUT MESSAGE
#include "core/known/tools.def"
};

struct texts {
#define TOOL(id, name, aliases, source, warning) \
	char FIELD(id, __LINE__, NAME)[sizeof(name)]; \
	char FIELD(id, __LINE__, ALIASES)[sizeof(aliases)]; \
	char FIELD(id, __LINE__, SOURCE)[sizeof(source)]; \
	char FIELD(id, __LINE__, WARNING)[sizeof(warning)];
#define CODE(id, low, high, verdict, meaning) \
	char FIELD(id, __LINE__, verdict##_MEANING)[sizeof(meaning)];
#define MESSAGE(id, low, high, verdict, regex, meaning) \
	_Static_assert(FIELD(id, __LINE__, verdict##_NUMBER) <= TOOL_MESSAGES, \
	    "too many"); \
	char FIELD(id, __LINE__, verdict##_REGEX)[sizeof(regex)]; \
	char FIELD(id, __LINE__, verdict##_MEANING)[sizeof(meaning)];
#define ON_STDOUT MESSAGE
#include "core/known/tools.def"
};

_Static_assert(sizeof(struct texts) <= UINT16_MAX, "an offset has 16 bits");

static const struct texts texts = {
#define TOOL(id, name, aliases, source, warning) name, aliases, source, warning,
#define CODE(id, low, high, verdict, meaning) meaning,
#define MESSAGE(id, low, high, verdict, regex, meaning) regex, meaning,
#define ON_STDOUT MESSAGE
#include "core/known/tools.def"
};

enum tool_id {
#define TOOL(id, name, aliases, source, warning) TOOL_##id,
#include "core/known/tools.def"
};

struct tool {
	uint16_t name, aliases, source, warning;
};

static const struct tool tools[] = {
#define TOOL(id, name, aliases, source, warning) \
	{ OFFSET(id, NAME), OFFSET(id, ALIASES), OFFSET(id, SOURCE), \
		OFFSET(id, WARNING) },
#include "core/known/tools.def"
};

enum row_kind {
	ROW_CODE,
	ROW_MESSAGE,
	ROW_ON_STDOUT,
};

static const struct row {
	uint8_t tool, low, high, verdict, kind;
	uint16_t regex, meaning;
} rows[] = {
#define ROW(id, low, high, verdict, kind, regex) \
	{ TOOL_##id, low, high, VERDICT_##verdict, kind, regex, \
		OFFSET(id, verdict##_MEANING) },
#define CODE(id, low, high, verdict, meaning) \
	ROW(id, low, high, verdict, ROW_CODE, 0)
#define MESSAGE(id, low, high, verdict, regex, meaning) \
	ROW(id, low, high, verdict, ROW_MESSAGE, OFFSET(id, verdict##_REGEX))
#define ON_STDOUT(id, low, high, verdict, regex, meaning) \
	ROW(id, low, high, verdict, ROW_ON_STDOUT, OFFSET(id, verdict##_REGEX))
#include "core/known/tools.def"
};

static const char *
text_at(uint16_t offset)
{
	return (const char *)&texts + offset;
}

const struct tool *
tool_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(tools); i++)
		if (strcmp(text_at(tools[i].name), name) == 0
		    || words_have(
		        text_at(tools[i].aliases), name, strlen(name)))
			return &tools[i];
	return NULL;
}

const struct tool *
tool_at(size_t index)
{
	return index < ARRAY_LENGTH(tools) ? &tools[index] : NULL;
}

const char *
tool_name(const struct tool *tool)
{
	return text_at(tool->name);
}

const char *
tool_aliases(const struct tool *tool)
{
	return text_at(tool->aliases);
}

const char *
tool_source(const struct tool *tool)
{
	return text_at(tool->source);
}

const char *
tool_warning(const struct tool *tool)
{
	return text_at(tool->warning);
}

static bool
row_at(const struct tool *tool, size_t index, bool is_message,
    struct tool_row *found)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct row *row = &rows[i];

		if (&tools[row->tool] != tool
		    || (row->kind != ROW_CODE) != is_message || index-- > 0)
			continue;
		*found = (struct tool_row) {
			.low = row->low,
			.high = row->high,
			.verdict = row->verdict,
			.on_stdout = row->kind == ROW_ON_STDOUT,
			.regex = is_message ? text_at(row->regex) : NULL,
			.meaning = text_at(row->meaning),
		};
		return true;
	}
	return false;
}

bool
tool_code_at(const struct tool *tool, size_t index, struct tool_row *row)
{
	return row_at(tool, index, false, row);
}

bool
tool_message_at(const struct tool *tool, size_t index, struct tool_row *row)
{
	return row_at(tool, index, true, row);
}

bool
tool_code(const struct tool *tool, int status, struct tool_row *row)
{
	for (size_t i = 0; tool_code_at(tool, i, row); i++)
		if (row->low <= status && status <= row->high)
			return true;
	return false;
}

bool
tool_needs_message(const struct tool *tool, int status)
{
	struct tool_row code, row;
	bool is_known = tool_code(tool, status, &code);

	for (size_t i = 0; is_known && tool_message_at(tool, i, &row); i++)
		if (row.low <= status && status <= row.high
		    && row.verdict != code.verdict)
			return true;
	return false;
}

bool
tool_stops(const struct tool *tool, int status)
{
	struct tool_row code;

	return tool_code(tool, status, &code) && code.verdict == VERDICT_STOP
	    && !tool_needs_message(tool, status);
}
