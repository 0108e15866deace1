/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "options/help.h"
#include "options/program.h"
#include "options/table.h"
#include "options/usage.h"
#include "process/terminal.h"

#define TEXT_COLUMN 29 /* where the help of an option starts; */
#define NARROW_COLUMN 8 /* on a narrow terminal */
#define LEAST_TEXT 32

/* Prints "  -o, --hold[=WHAT]"; returns its width in columns. */
static int
print_names(const struct option_row *row)
{
	char words[64];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "      ");
	if (row->letter != 0) {
		words[2] = '-';
		words[3] = row->letter;
		words[4] = ',';
	}
	text_join(&text, "--", row->name,
	    row->argument[0] == '['        ? "[="
	        : row->argument[0] != '\0' ? "="
	                                   : "",
	    row->argument + (row->argument[0] == '['));
	return printf("%s", words);
}

/* Adds the help of an option, with this program's default for "%". */
static void
add_help(struct text *text, const char *help)
{
	for (; *help != '\0'; help++)
		if (*help != '%')
			text_byte(text, *help);
		else
			text_add(text,
			    program.attempts == INT64_MAX
			        ? "inf"
			        : NUMBER(program.attempts));
}

/* Prints the row; BRIEF leaves out what its help says after a semicolon. */
static void
print_row(const struct option_row *row, int width, bool brief)
{
	char words[sizeof row->help + 8];
	struct text help = text_in(words, sizeof words);
	int from
	    = width - TEXT_COLUMN >= LEAST_TEXT ? TEXT_COLUMN : NARROW_COLUMN;
	int column = print_names(row);

	if (column > from - 1) {
		putchar('\n');
		column = 0;
	}
	add_help(&help, row->help);
	if (brief)
		words[strcspn(words, ";")] = '\0';
	terminal_wrapped(
	    words, column + printf("%*s", from - column, ""), from, width);
}

/* Prints lines that start with a blank as they are, others as paragraphs. */
static void
print_lines(const char *lines, int width)
{
	char line[512];

	while (*lines != '\0') {
		int length = (int)strcspn(lines, "\n");

		snprintf(line, sizeof line, "%.*s", length, lines);
		if (*line == ' ')
			puts(line);
		else
			terminal_wrapped(line, 0, 0, width);
		lines += length + (lines[length] == '\n');
	}
}

void
help_brief(void)
{
	static const enum option_id usual[] = {
		OPT_ATTEMPTS,
		OPT_TIMEOUT,
		OPT_DEADLINE,
		OPT_BASE,
		OPT_CAP,
		OPT_DELAYS,
		OPT_RETRY_ON,
		OPT_STOP_ON,
		OPT_TOOL,
		OPT_RETRY_AFTER,
		OPT_QUIET_SUCCESS,
		OPT_SLOTS,
		OPT_GATE,
	};
	int width = terminal_text_width();

	print_lines(program.synopsis, width);
	putchar('\n');
	for (size_t i = 0; i < ARRAY_LENGTH(usual); i++)
		print_row(&option_table[usual[i]], width, true);
	print_lines(program.brief, width);
	usage_finish();
}

void
help_all(void)
{
	int width = terminal_text_width();
	int group = GROUPS;

	print_lines(program.synopsis, width);
	for (int id = 0; id < OPTIONS; id++) {
		const struct option_row *row = &option_table[id];

		if (!option_is_ours((enum option_id)id))
			continue;
		if (row->group != group)
			printf("\n%s:\n", option_groups[row->group]);
		group = row->group;
		print_row(row, width, false);
	}
	print_lines(program.notes, width);
	usage_finish();
}

void
help_version(void)
{
	const char *limits = program.limits != NULL ? program.limits() : NULL;

	printf("%s %s\n", program.name, PACKAGE_VERSION);
	if (limits != NULL)
		puts(limits);
	usage_finish();
}
