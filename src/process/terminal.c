/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "process/process.h"
#include "system/system.h"

#define USUAL_WIDTH 80
#define WIDEST_TEXT 80 /* longer lines are hard to read */
#define NARROWEST_TEXT 32

static int
width_of_stdout(void)
{
	int columns = device_columns(STDOUT_FILENO);

	return columns > 0 ? columns : USUAL_WIDTH;
}

struct terminal
terminal_of_stdout(void)
{
	/* Only the character set of the output depends on the locale. */
	setlocale(LC_CTYPE, "");
	return (struct terminal) {
		.width = width_of_stdout(),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
}

bool
is_in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	/* 0: a group that has its leader in another PID namespace. */
	return group > 0 && group == getpgrp();
}

int
terminal_text_width(void)
{
	int width = width_of_stdout();

	return width > WIDEST_TEXT   ? WIDEST_TEXT
	    : width < NARROWEST_TEXT ? NARROWEST_TEXT
	                             : width;
}

void
terminal_wrapped(const char *text, int column, int from, int width)
{
	bool is_first = true; /* first word of its line */

	while (*text != '\0') {
		int length = (int)length_before(text, ' ');

		if (!is_first && column + 1 + length > width) {
			printf("\n%*s", from, "");
			column = from;
		} else if (!is_first) {
			putchar(' ');
			column++;
		}
		column += printf("%.*s", length, text);
		is_first = false;
		text += length + (text[length] == ' ');
	}
	putchar('\n');
}
