/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/judge/verdict.h"
#include "streams/hint_file.h"
#include "streams/files.h"
#include "system/system.h"

#define MOST (INT64_C(1) << 20) /* at most the last so many bytes are read */

static int file = -1;
static char name[PATH_MAX];
static char nowhere[PATH_MAX + 64]; /* it could not be made, and why */
static bool named; /* it has a name in a directory, and must be removed */

/* COMMAND may have another working directory when it writes there. */
static void
make_absolute(void)
{
	char here[PATH_MAX];

	if (name[0] != '/' && getcwd(here, sizeof here) != NULL
	    && strlen(here) + strlen(name) + 1 < sizeof name)
		text_copy(
		    name, sizeof name, JOINED(sizeof name, here, "/", name));
}

const char *
hint_start(void)
{
	struct text why = text_in(nowhere, sizeof nowhere);

	file = fd_out_of_the_way(unnamed_file_in_memory());
	if (file >= 0) {
		unnamed_file_name(file, name, sizeof name);
	} else {
		named = true;
		file = tempfile_named("backoff-hint-", 0, name, sizeof name);
		make_absolute();
	}
	if (file >= 0)
		return name;
	text_join(&why, "TMPDIR ", tempfile_directory(), ": ", strerror(errno));
	return NULL;
}

static enum verdict
verdict_of_word(const char *word)
{
	for (int verdict = VERDICT_SUCCESS; verdict < VERDICTS; verdict++)
		if (strcasecmp(word, verdict_name((enum verdict)verdict)) == 0)
			return (enum verdict)verdict;
	return VERDICT_NONE;
}

/* The line that is being read. */
struct line {
	char bytes[256]; /* without the newline, terminated by a NUL */
	size_t length;
	bool is_hint; /* false: too long, cut off, or with a NUL */
};

/* "after=" and a WHEN, or "inf". */
static bool
read_after(const char *text, struct stated_wait *after)
{
	struct when when;

	if (strcmp(text, "inf") == 0) {
		when = (struct when) { .ns = DURATION_INF };
	} else if (!when_parse(text, &when)
	    || (when.zone == ZONE_NAMED
	        && !calendar_has_zone(when.zone_name))) {
		return false;
	}
	after->stated = STATED_READ;
	after->when = when;
	return true;
}

/* Keeps LINE of an after= to be told, unless another one can be read. */
static void
keep_unread(struct stated_wait *after, const char *line)
{
	text_copy(after->text, sizeof after->text, line);
	if (after->stated != STATED_READ)
		after->stated = STATED_UNREADABLE;
}

/* Handles a complete line; later lines win. */
static void
end_line(struct line *line, struct hint *hint, struct stated_wait *after)
{
	const char *text = line->bytes;
	static char unread[WAIT_TEXT + 1];
	enum verdict verdict = VERDICT_NONE;

	while (line->length > 0
	    && strchr(" \t\r", line->bytes[line->length - 1]) != NULL)
		line->length--;
	line->bytes[line->length] = '\0';
	if (!line->is_hint) {
		hint->unreadable++;
	} else if (strncmp(text, "after=", 6) == 0) {
		if (!read_after(text + 6, after)) {
			keep_unread(after, text);
			hint->unreadable++;
		}
	} else if (strncmp(text, "verdict=", 8) == 0) {
		verdict = verdict_of_word(text + 8 + strspn(text + 8, " \t"));
		if (verdict != VERDICT_NONE) {
			hint->verdict = verdict;
		} else {
			text_copy(unread, sizeof unread, text);
			hint->unread = unread;
			hint->unread_in_file = true;
			hint->unreadable++;
		}
	} else if (*text != '\0') {
		hint->unreadable++;
	}
	line->length = 0;
	line->is_hint = true;
}

static void
read_bytes(struct line *line, struct hint *hint, struct stated_wait *after,
    const char *bytes, ssize_t count)
{
	for (ssize_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			end_line(line, hint, after);
			continue;
		}
		if (bytes[i] == '\0' || line->length == sizeof line->bytes - 1)
			line->is_hint = false;
		else
			line->bytes[line->length++] = bytes[i];
	}
}

/* Reads the lines of the file from OFFSET to SIZE. */
static void
read_lines(
    struct hint *hint, struct stated_wait *after, off_t offset, off_t size)
{
	static char bytes[4096];
	struct line line = { .is_hint = true };
	ssize_t count;

	/* Starts one byte early: only after a newline is the line complete. */
	if (offset > 0)
		line.is_hint = false;
	while (offset < size) {
		size_t most = (size_t)min_ns(size - offset, sizeof bytes);

		RETRY_EINTR(count, pread(file, bytes, most, offset));
		if (count < 0)
			line.is_hint = false;
		if (count <= 0)
			break;
		read_bytes(&line, hint, after, bytes, count);
		offset += count;
	}
	end_line(&line, hint, after);
}

struct hint
hint_take(struct stated_wait *after)
{
	struct hint hint = {
		.verdict = VERDICT_NONE,
		.nowhere = file < 0 ? nowhere : NULL,
	};
	off_t size = lseek(file, 0, SEEK_END);

	after->stated = STATED_MISSING;
	if (size <= 0)
		return hint;
	/* Limited, because COMMAND can make the file as large as it likes. */
	read_lines(&hint, after, size > MOST ? size - MOST - 1 : 0, size);
	while (ftruncate(file, 0) != 0 && errno == EINTR)
		continue;
	return hint;
}

void
hint_stop(void)
{
	if (named)
		unlink(name);
}
