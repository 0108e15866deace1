/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/fd.h"
#include "process/process_tree.h"
#include "core/duration.h"
#include "streams/hint_file.h"
#include "streams/tempfile.h"
#include "core/verdict.h"

static int file = -1;
static char name[PATH_MAX];
static bool named; /* in a directory, so that it must be removed */

const char *
hint_start(void)
{
	struct text text = text_in(name, sizeof name);

	if (proc_is_ours())
		file = fd_out_of_the_way(
		    memfd_create("backoff-hint", MFD_CLOEXEC));
	if (file >= 0) {
		text_add(&text, "/proc/");
		text_number(&text, getpid());
		text_add(&text, "/fd/");
		text_number(&text, file);
	} else {
		/* Where the kernel has no files in memory. */
		named = true;
		file = tempfile_named("backoff-hint-", 0, name, sizeof name);
	}
	return file >= 0 ? name : NULL;
}

static enum verdict
verdict_of_word(const char *word)
{
	for (int verdict = VERDICT_SUCCESS; verdict < VERDICTS; verdict++)
		if (strcmp(word, verdict_name((enum verdict)verdict)) == 0)
			return (enum verdict)verdict;
	return VERDICT_NONE;
}

/* Later lines win. */
static void
read_line(struct hint *hint, const char *line)
{
	int64_t after_ns;
	enum verdict verdict;

	if (strncmp(line, "after=", 6) == 0
	    && duration_parse(line + 6, &after_ns)) {
		hint->has_wait = true;
		hint->wait_ns = after_ns;
		return;
	}
	verdict = strncmp(line, "verdict=", 8) == 0 ? verdict_of_word(line + 8)
	                                            : VERDICT_NONE;
	if (verdict != VERDICT_NONE)
		hint->verdict = verdict;
	else if (*line != '\0')
		hint->unreadable++;
}

struct hint
hint_take(void)
{
	struct hint hint = { 0 };
	static char text[4096];
	off_t size = lseek(file, 0, SEEK_END);
	off_t room = sizeof text - 1;
	ssize_t count;
	char *line = text, *end;

	if (size <= 0)
		return hint;
	/* The last lines count; the first of a cut-off text is no line. */
	count = pread(file, text, (size_t)room, size > room ? size - room : 0);
	if (count < 0)
		count = 0;
	while (ftruncate(file, 0) != 0 && errno == EINTR)
		continue;
	text[count] = '\0';
	if (size > room)
		line += strcspn(line, "\n");
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		read_line(&hint, line);
		line = end + 1;
	}
	read_line(&hint, line);
	return hint;
}

void
hint_stop(void)
{
	if (named)
		unlink(name);
}
