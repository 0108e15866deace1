/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/outcome.h"
#include "core/text.h"
#include "options/program.h"
#include "options/usage.h"

#define TEXT_COLUMN 28
#define LINE_WIDTH 80

struct row {
	unsigned char set;
	char letter;
	const char *name; /* NULL: a title */
	const char *argument;
	const char *help;
};

#define GROUP(title) { PROGRAM_BOTH, 0, NULL, NULL, title },
#define OPT(set, id, letter, name, argument, help) \
	{ PROGRAM_##set, letter, name, argument, help },
static const struct row rows[] = {
#include "options/options.def"
};
#undef GROUP
#undef OPT

/* Control characters of the offending text do not make it two lines. */
static void
print_one_line(const char *string)
{
	for (; *string != '\0'; string++)
		putc((unsigned char)*string < ' ' || *string == '\x7f'
		        ? '?'
		        : *string,
		    stderr);
}

void
usage_refuse(const char *what, const char *text, const char *why)
{
	static char line[4096];

	/* One write: other programs may be talking there too. */
	setvbuf(stderr, line, _IOFBF, sizeof line);
	fputs(program.name, stderr);
	fputs(": ", stderr);
	print_one_line(what);
	fputs(": ", stderr);
	print_one_line(text);
	fputs(": ", stderr);
	fputs(why, stderr);
	putc('\n', stderr);
	exit(STATUS_ERROR);
}

void *
usage_allocate(const char *option, size_t count, size_t size)
{
	void *room = calloc(count, size);

	if (room == NULL)
		usage_refuse(option, "no memory", strerror(errno));
	return room;
}

void
usage_finish(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		usage_refuse("standard output", "write error",
		    "the text could not be written");
	exit(EXIT_SUCCESS);
}

/* The words of HELP from TEXT_COLUMN to LINE_WIDTH; we are at COLUMN. */
static void
print_wrapped(const char *help, int column)
{
	if (column > TEXT_COLUMN - 2)
		column = LINE_WIDTH;
	while (*help != '\0') {
		int length = (int)strcspn(help, " ");

		if (column > TEXT_COLUMN && column + 1 + length > LINE_WIDTH) {
			putchar('\n');
			column = 0;
		}
		if (column <= TEXT_COLUMN)
			column += printf("%*s", TEXT_COLUMN - column, "");
		else
			column += printf(" ");
		column += printf("%.*s", length, help);
		help += length + (help[length] == ' ');
	}
	putchar('\n');
}

/* Of "... (6|inf)", two defaults, the one of this program. */
static void
print_help(const char *help, int column)
{
	char words[128];
	struct text text = text_in(words, sizeof words);
	const char *bar = strrchr(help, '|');
	const char *other = bar == NULL ? NULL : strrchr(help, '(') + 1;

	for (; *help != '\0'; help++) {
		if (program.set == PROGRAM_HERD && help == other)
			help = bar + 1;
		if (program.set == PROGRAM_BACKOFF && help == bar)
			help = strchr(bar, ')');
		text_byte(&text, *help);
	}
	print_wrapped(words, column);
}

static void
print_row(const struct row *row)
{
	int column;

	if (row->letter != 0)
		column = printf("  -%c, --%s", row->letter, row->name);
	else
		column = printf("      --%s", row->name);
	if (row->argument != NULL && row->argument[0] == '[')
		column += printf("[=%s", row->argument + 1);
	else if (row->argument != NULL)
		column += printf("=%s", row->argument);
	print_help(row->help, column);
}

void
usage_help(void)
{
	const struct row *title = NULL;

	fputs(program.synopsis, stdout);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		if (rows[i].name == NULL)
			title = &rows[i];
		if (rows[i].name == NULL || (rows[i].set & program.set) == 0)
			continue;
		/* A group without an option of this program has no title. */
		if (title != NULL)
			printf("\n%s:\n", title->help);
		title = NULL;
		print_row(&rows[i]);
	}
	fputs(program.notes, stdout);
	usage_finish();
}

void
usage_version(void)
{
	printf("%s %s\n", program.name, PACKAGE_VERSION);
	usage_finish();
}
