/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/base.h"
#include "streams/streams.h"
#include "system/system.h"

/*
 * At most the last so many bytes of hints are read, because COMMAND can make
 * the file as large as it likes; and so many of a line.
 */
#define HINTS_MOST (INT64_C(1) << 20)
#define HINT_MOST 255

#define ENTRY "BACKOFF_HINT=" /* and the file's name, for COMMAND */

static int hints = -1; /* the file */
static char hints_entry[sizeof ENTRY + PATH_MAX];
static bool hints_are_named; /* in a directory: to be removed from there */
static char hints_nowhere[PATH_MAX + 64]; /* it could not be made, and why */

char *
hint_start(void)
{
	char here[PATH_MAX], *name = hints_entry + strlen(ENTRY);
	struct text why;

	text_copy(hints_entry, sizeof hints_entry, ENTRY);
	hints = unnamed_file_in_memory(name, PATH_MAX);
	if (hints >= 0)
		return hints_entry;
	hints = tempfile_named("backoff-hint-", name, PATH_MAX);
	hints_are_named = hints >= 0;
	if (!hints_are_named) {
		why = text_in(hints_nowhere, sizeof hints_nowhere);
		text_join(&why, "TMPDIR ", tempfile_directory(), ": ",
		    strerror(errno));
		return NULL;
	}
	/* COMMAND may have another working directory when it writes there. */
	if (name[0] != '/' && getcwd(here, sizeof here) != NULL
	    && strlen(here) + strlen(name) + 1 < PATH_MAX)
		text_copy(name, PATH_MAX, JOINED(PATH_MAX, here, "/", name));
	return hints_entry;
}

/* What follows "after=": a WHEN, or "inf". */
static bool
read_after(const char *text, struct stated_wait *after)
{
	struct when when = { .ns = DURATION_INF };

	if (strcmp(text, "inf") != 0
	    && (!when_parse(text, &when)
	        || (when.zone == ZONE_NAMED
	            && !calendar_has_zone(when.zone_name))))
		return false;
	after->stated = STATED_READ;
	after->when = when;
	return true;
}

/* Reads a line; later ones win. False: it has no meaning. */
static bool
read_hint(const char *line, struct hint *hint, struct stated_wait *after)
{
	static char unread[WAIT_TEXT + 1];

	if (strncmp(line, "after=", 6) == 0) {
		if (read_after(line + 6, after))
			return true;
		text_copy(after->text, sizeof after->text, line);
		if (after->stated != STATED_READ)
			after->stated = STATED_UNREADABLE;
	} else if (strncmp(line, "verdict=", 8) == 0) {
		const char *word = skip_blanks(line + 8);

		for (enum verdict i = VERDICT_SUCCESS; i < VERDICTS; i++)
			if (strcasecmp(word, verdict_name(i)) == 0) {
				hint->verdict = i;
				return true;
			}
		text_copy(unread, sizeof unread, line);
		hint->unread = unread;
		hint->unread_in_file = true;
	}
	return *line == '\0';
}

/* Reads the lines up to END, but not the first if it is CUT. */
static void
read_hints(char *line, char *end, bool cut, struct hint *hint,
    struct stated_wait *after)
{
	for (char *newline; line <= end; line = newline + 1, cut = false) {
		bool is_whole;

		newline = memchr(line, '\n', (size_t)(end - line));
		if (newline == NULL)
			newline = end;
		*newline = '\0';
		is_whole = newline - line <= HINT_MOST
		    && strlen(line) == (size_t)(newline - line);
		for (char *last = newline; last > line; *--last = '\0')
			if (strchr(" \t\r", last[-1]) == NULL)
				break;
		if (!cut && !(is_whole && read_hint(line, hint, after)))
			hint->unreadable++;
	}
}

struct hint
hint_take(struct stated_wait *after)
{
	static char bytes[HINTS_MOST + 2];
	struct hint hint = {
		.verdict = VERDICT_NONE,
		.nowhere = hints < 0 ? hints_nowhere : NULL,
	};
	off_t size = lseek(hints, 0, SEEK_END), offset;
	ssize_t count;

	after->stated = STATED_MISSING;
	if (size <= 0)
		return hint;
	/* One byte earlier, there may be the newline before a line. */
	offset = max_ns(size - HINTS_MOST - 1, 0);
	count = file_read(hints, bytes, (size_t)(size - offset), offset);
	if (count < 0)
		hint.unreadable = 1;
	else
		read_hints(bytes, bytes + count, offset > 0, &hint, after);
	while (ftruncate(hints, 0) != 0 && errno == EINTR)
		continue;
	return hint;
}

void
hint_stop(void)
{
	if (hints_are_named)
		unlink(hints_entry + strlen(ENTRY));
}

/* --- the wait that counts --- */

/* Makes SAID the wait. False: it is not a time, or that does not exist. */
static bool
add_wait(struct hint *hint, const struct stated_wait *said, int64_t ended_ns)
{
	struct text until = text_in(hint->until, sizeof hint->until);
	int64_t epoch_ns, moment_ns;

	if (said->stated != STATED_READ)
		return false;
	/* By the calendar of now, whatever it was then. */
	epoch_ns = clock_epoch_ns() - (clock_now_ns() - ended_ns);
	if (!calendar_moment(&said->when, epoch_ns, &moment_ns))
		return false;
	hint->has_wait = true;
	hint->wait_ns = said->when.kind == WHEN_DURATION ? said->when.ns
	                                                 : moment_ns - epoch_ns;
	if (said->when.kind != WHEN_DURATION && hint->wait_ns > 0)
		calendar_text(&until, moment_ns, epoch_ns);
	return true;
}

struct hint
hint_of(const struct scan *scan, int64_t ended_ns)
{
	static struct stated_wait after;
	struct hint hint = hint_take(&after);
	enum wait_source end = scan != NULL ? WAIT_SOURCES : WAIT_REGEX;

	/* The first that is a time counts; what cannot be read is logged. */
	for (enum wait_source i = WAIT_HINT; i < end; i++) {
		const struct stated_wait *said
		    = i == WAIT_HINT ? &after : waits_of(&scan->waits, i);
		bool is_wanted = !hint.has_wait;

		if (is_wanted && add_wait(&hint, said, ended_ns)) {
			hint.by_output = i != WAIT_HINT;
		} else if (hint.unread == NULL
		    && (said->stated == STATED_UNREADABLE
		        || (is_wanted && said->stated == STATED_READ))) {
			hint.unread = said->text;
			hint.unread_in_file = i == WAIT_HINT;
		}
		if (i != WAIT_HINT && scan->waits.wanted == WANTED_ALL
		    && said->stated > hint.stated)
			hint.stated = said->stated;
	}
	return hint;
}
