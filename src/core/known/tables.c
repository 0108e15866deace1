/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdint.h>
#include <string.h>

#include "core/base/text.h"
#include "core/known/tables.h"

/* --- tools --- */

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
#include "core/known/tools.def"
};

_Static_assert(sizeof(struct texts) <= UINT16_MAX, "an offset has 16 bits");

static const struct texts texts = {
#define TOOL(id, name, aliases, source, warning) name, aliases, source, warning,
#define CODE(id, low, high, verdict, meaning) meaning,
#define MESSAGE(id, low, high, verdict, regex, meaning) regex, meaning,
#include "core/known/tools.def"
};

enum tool_id {
#define TOOL(id, name, aliases, source, warning) TOOL_##id,
#include "core/known/tools.def"
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

const char *
tool_text(uint16_t offset)
{
	return (const char *)&texts + offset;
}

const struct tool *
tool_named(const char *name)
{
	const struct tool *tool;

	for (size_t i = 0; (tool = tool_at(i)) != NULL; i++)
		if (strcmp(tool_text(tool->name), name) == 0
		    || words_have(tool_text(tool->aliases), name, strlen(name)))
			break;
	return tool;
}

const struct tool *
tool_at(size_t index)
{
	return index < ARRAY_LENGTH(tools) ? &tools[index] : NULL;
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
			.regex = is_message ? tool_text(row->regex) : NULL,
			.meaning = tool_text(row->meaning),
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

/* --- clients of HTTP --- */

static const struct http_client clients[] = {
	{ "curl", "DIKivw",
	    "--config --dump-header --head --include --verbose --write-out",
	    "curl prints no headers: add -D /dev/stderr",
	    "; curl -sS shows errors" },
	{ "wget", "Sd", "--debug --save-headers --server-response",
	    "wget prints no headers: add -S", "; wget -nv shows errors" },
};

const struct http_client *
http_client(const char *name)
{
	for (size_t i = 0; name != NULL && i < ARRAY_LENGTH(clients); i++)
		if (strcmp(clients[i].name, name) == 0)
			return &clients[i];
	return NULL;
}

const char *
headers_missing(const char *name, char *const *argv)
{
	const struct http_client *client = http_client(name);

	for (; client != NULL && *argv != NULL; argv++) {
		const char *word = *argv;

		if (words_have(client->options, word, length_before(word, '='))
		    || (word[0] == '-' && word[1] != '-'
		        && word[strcspn(word, client->letters)] != '\0'))
			return NULL;
	}
	return client != NULL ? client->prints_none : NULL;
}

/* --- presets --- */

/*
 * Five strings for each preset, one after the other: a table of pointers would
 * have to be relocated at every start.
 */
static const char presets[] =
#define PRESET(name, fields, options, source, note) \
	name "\0" fields "\0" options "\0" source "\0=" note "\0"
#define APPROXIMATE(name, fields, options, source, note) \
	name "\0" fields "\0" options "\0" source "\0~" note "\0"
#include "core/known/presets.def"
#undef PRESET
#undef APPROXIMATE
    ;

static const char *
behind(const char *string)
{
	return string + strlen(string) + 1;
}

bool
presets_next(struct preset *preset)
{
	preset->name = preset->name == NULL ? presets : behind(preset->note);
	if (*preset->name == '\0')
		return false;
	preset->fields = behind(preset->name);
	preset->options = behind(preset->fields);
	preset->source = behind(preset->options);
	preset->note = behind(preset->source);
	preset->approximate = *preset->note++ == '~';
	return true;
}

bool
presets_find(struct preset *preset, const char *name)
{
	*preset = (struct preset) { .name = NULL };
	while (presets_next(preset))
		if (strcmp(preset->name, name) == 0)
			return true;
	return false;
}
