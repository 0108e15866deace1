/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "core/known/known.h"

/* A command that runs another. */
struct wrapper {
	uint16_t name;
	uint16_t options, takes; /* those without, and with an argument */
	uint8_t operands; /* how many come before the command */
	bool assignments; /* NAME=VALUE may come before the command */
};

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

/* --- what a command runs in the end --- */

/* What the options of flock say about its status if the lock is taken. */
struct locking {
	bool gives_up;
	int64_t conflict;
};

static void
note_option(struct locking *locking, const char *option, size_t length,
    const char *argument)
{
	if (words_have(
	        "n w nonblock nonblocking nb timeout wait", option, length))
		locking->gives_up = true;
	if (words_have("E conflict-exit-code", option, length)
	    && (argument == NULL || !count_parse(argument, &locking->conflict)
	        || locking->conflict > 255))
		locking->conflict = -1;
}

/*
 * Returns what follows the option *WORDS: "--name", "--name=value" or "--name
 * value"; letters as in "-i", "-iv", "-u name", "-uname". NULL: it is not
 * known.
 */
static char *const *
skip_option(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	const char *option = *words + 1, *argument = NULL;
	bool is_long = *option == '-', takes = false;
	size_t length = 1;

	/* A single "-" means -i to env; the others do not have it. */
	if (*option == '\0')
		return wrapper->assignments ? words + 1 : NULL;
	/* nice has always accepted "-5" and "--5". */
	if (strcmp(known_text(wrapper->name), "nice") == 0
	    && is_digit(option[*option == '-' || *option == '+']))
		return words + 1;
	if (is_long && (length = length_before(++option, '=')) < 2)
		return NULL;
	for (; *option != '\0' && !takes; option += length) {
		takes = words_have(known_text(wrapper->takes), option, length);
		if (!takes
		    && !words_have(
		        known_text(wrapper->options), option, length))
			return NULL;
		if (takes && option[length] == '\0')
			argument = *++words;
		else if (takes)
			argument = option + length + is_long;
		note_option(locking, option, length, argument);
		if (is_long)
			break;
	}
	return takes && argument == NULL ? NULL : words + 1;
}

/* What follows WRAPPER and its own arguments; NULL: it is not known. */
static char *const *
skip_wrapper(
    const struct wrapper *wrapper, char *const *words, struct locking *locking)
{
	bool options = true;

	for (words++; words != NULL && *words != NULL;) {
		if (options && **words == '-') {
			options = strcmp(*words, "--") != 0;
			words = options ? skip_option(wrapper, words, locking)
			                : words + 1;
		} else if (wrapper->assignments
		    && strchr(*words, '=') != NULL) {
			words++;
		} else {
			break;
		}
	}
	for (int i = 0; i < wrapper->operands && words != NULL; i++)
		words = *words == NULL ? NULL : words + 1;
	/* flock FILE -c 'a script': only a shell knows what that runs. */
	if (words != NULL && (*words == NULL || **words == '-'))
		return NULL;
	return words;
}

/* What parts two words for a shell; the end of a line does, too. */
static const char blanks[] = " \t\n";

/* The length of the word at LINE, with the blanks that a shell sees in it. */
static size_t
word_length(const char *line)
{
	char quote = '\0';
	int depth = 0;
	size_t i;

	for (i = 0; line[i] != '\0'; i++) {
		if (line[i] == '\\' && quote != '\'' && line[i + 1] != '\0')
			i++;
		else if (quote != '\0')
			quote = line[i] == quote ? '\0' : quote;
		else if (strchr("'\"`", line[i]) != NULL)
			quote = line[i];
		else if (line[i] == '(' || line[i] == ')')
			depth += line[i] == '(' ? 1 : -1;
		else if (depth <= 0 && strchr(blanks, line[i]) != NULL)
			break;
	}
	return i;
}

/* NAME=value */
static bool
is_assignment(const char *word)
{
	size_t length = 0;

	while (is_of_word(word[length]))
		length++;
	return length > 0 && !is_digit(word[0]) && word[length] == '=';
}

static const char *
next_word(const char *word)
{
	word += word_length(word);
	while (*word != '\0' && strchr(blanks, *word) != NULL)
		word++;
	return word;
}

bool
command_line_name(struct text *text, const char *word)
{
	const char *first
	    = strchr(blanks, *word) != NULL ? next_word(word) : word;
	const char *start = first;
	size_t length = 0, most;

	while (strchr(blanks, *word) == NULL) /* nor the end */
		word++;
	if (*word == '\0' && !is_assignment(first))
		return false;
	while (is_assignment(start))
		start = next_word(start);
	for (const char *at = start;
	     *at != '\0' && memchr(at, '=', word_length(at)) == NULL;
	     at = next_word(at))
		length = (size_t)(at - start) + word_length(at);
	/* Only the name of the first assignment can be shown: "TOKEN=". */
	if (length == 0) {
		start = first;
		length = length_before(first, '=') + 1;
	}
	most = text_cut(start, 60);
	text_part(text, start, length < most ? length : most);
	return true;
}

const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

struct wrapped
wrapped_command(char *const argv[])
{
	struct wrapped command = { .name = NULL, .lock_conflict = -1 };
	const struct wrapper *wrapper;

	while (argv != NULL && argv[0] != NULL) {
		struct locking locking = { .conflict = 1 };

		command.name = base_name(argv[0]);
		for (wrapper = known_wrappers; wrapper->name != 0; wrapper++)
			if (strcmp(known_text(wrapper->name), command.name)
			    == 0)
				break;
		if (wrapper->name == 0)
			return command;
		argv = skip_wrapper(wrapper, argv, &locking);
		command.is_timed |= strcmp(command.name, "timeout") == 0;
		/* Of several flocks, the first one that gives up decides. */
		if (strcmp(command.name, "flock") == 0 && locking.gives_up
		    && command.lock_conflict < 0)
			command.lock_conflict = (int)locking.conflict;
	}
	command.name = NULL;
	return command;
}
