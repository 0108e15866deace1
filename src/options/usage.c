/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/judge/outcome.h"
#include "options/program.h"
#include "options/usage.h"

/* The middle of "##[", which begins a command of GitHub's. */
static bool
is_in_command(const char *string, const char *at)
{
	return at > string && strncmp(at - 1, "##[", 3) == 0;
}

/*
 * Prints STRING so that it stays on its line, controls no terminal, and is no
 * command for GitHub.
 */
static void
print_part(const char *string)
{
	const char *start = string;
	size_t length;

	fputs(": ", stderr);
	for (; *string != '\0'; string += length) {
		char in[5] = "", out[sizeof in];
		struct text text = text_in(out, sizeof out);

		length = utf8_length(string);
		length += length == 0;
		memcpy(in, string, length);
		text_printable(&text, in);
		fputs(is_in_command(start, string) ? "?" : out, stderr);
	}
}

void
usage_refuse(const char *what, const char *text, const char *why)
{
	static char line[4096];

	/* One write(2): other programs may be writing there too. */
	setvbuf(stderr, line, _IOFBF, sizeof line);
	fputs(program.name, stderr);
	print_part(what);
	if (text != NULL)
		print_part(*text != '\0' ? text : "''");
	if (why != NULL)
		print_part(why);
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
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		usage_refuse("standard output", "write error",
		    errno != 0 ? strerror(errno)
		               : "the text could not be written");
	exit(EXIT_SUCCESS);
}
