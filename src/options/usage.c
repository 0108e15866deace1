/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/judge/outcome.h"
#include "core/words/message.h"
#include "options/usage.h"

/* One write(2): other programs may be writing there, too. */
void
usage_refuse(const char *what, const char *text, const char *why)
{
	static char line[8192];
	/* However long TEXT is, there is room for WHY. */
	struct text out = text_in(line, sizeof line - 1024);

	text_join(&out, program.name, ": ");
	text_printable(&out, what);
	if (text != NULL) {
		text_add(&out, ": ");
		text_printable(&out, *text != '\0' ? text : "''");
	}
	out.size = sizeof line;
	if (why != NULL) {
		text_add(&out, ": ");
		text_printable(&out, why);
	}
	annotation_defuse(line);
	text_byte(&out, '\n');
	fputs(line, stderr);
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
