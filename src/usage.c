/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "text.h"
#include "usage.h"

#define TEXT_COLUMN 28
#define LINE_WIDTH 80

struct row {
	char letter;
	const char *name; /* NULL: a title */
	const char *argument;
	const char *help;
};

#define GROUP(title) { 0, NULL, NULL, title },
#define OPT(id, letter, name, argument, help) { letter, name, argument, help },
static const struct row rows[] = {
#include "options.def"
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
	fputs("backoff: ", stderr);
	print_one_line(what);
	fputs(": ", stderr);
	print_one_line(text);
	fputs(": ", stderr);
	fputs(why, stderr);
	putc('\n', stderr);
	exit(STATUS_ERROR);
}

_Noreturn static void
finish(void)
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

static void
print_row(const struct row *row)
{
	int column;

	if (row->name == NULL) {
		printf("\n%s:\n", row->help);
		return;
	}
	if (row->letter != 0)
		column = printf("  -%c, --%s", row->letter, row->name);
	else
		column = printf("      --%s", row->name);
	if (row->argument != NULL && row->argument[0] == '[')
		column += printf("[=%s", row->argument + 1);
	else if (row->argument != NULL)
		column += printf("=%s", row->argument);
	print_wrapped(row->help, column);
}

void
usage_help(void)
{
	fputs("Usage: backoff [OPTION]... [--] COMMAND [ARG]...\n"
	      "Run COMMAND, and run it again after a pause for as long as it "
	      "fails.\n",
	    stdout);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		print_row(&rows[i]);
	fputs("\n"
	      "DURATION is a number with a unit (ns us ms s m h d), such as "
	      "1m30s;\n"
	      "without one it is in seconds. CODES are exit codes and ranges, "
	      "nonzero,\n"
	      "any, signal names, signal, timeout, start, or names of "
	      "sysexits.h.\n"
	      "\n"
	      "We exit with the status of the last attempt, 0 after a success, "
	      "124 after\n"
	      "a timeout, 125 if we fail ourselves, 126 or 127 where COMMAND "
	      "cannot be run\n"
	      "or is not found; and die by the signal that killed it.\n",
	    stdout);
	finish();
}

void
usage_version(void)
{
	puts(PACKAGE_NAME " " PACKAGE_VERSION);
	finish();
}
