/* SPDX-License-Identifier: MIT */
/*
 * The file BACKOFF_HINT: what was read of it is printed, and read again.
 */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "fuzz/fuzz.h"
#include "streams/streams.h"

static int file = -1;

static struct hint
take(const void *bytes, size_t size, struct stated_wait *after)
{
	if (file < 0) {
		const char *entry = hint_start();

		fuzz_require(entry != NULL, "no hint file");
		file = open(strchr(entry, '=') + 1, O_WRONLY | O_CLOEXEC);
		fuzz_require(file >= 0, "no way to the hint file");
	}
	fuzz_require(pwrite(file, bytes, size, 0) == (ssize_t)size, "written");
	return hint_take(after);
}

/* A date is printed by the target `when`. */
static bool
is_printed(const struct stated_wait *after)
{
	return after->stated == STATED_READ
	    && (after->when.kind == WHEN_DURATION
	        || after->when.kind == WHEN_EPOCH);
}

static void
print_wait(struct text *text, const struct when *when)
{
	bool is_moment = when->kind == WHEN_EPOCH;

	text_add(text, is_moment ? "after=@" : "after=");
	if (!is_moment && when->ns == DURATION_INF) {
		text_add(text, "inf");
		return;
	}
	duration_seconds(text, when->ns);
	text_add(text, is_moment ? "" : "s");
}

static void
fuzz(char *string, size_t size)
{
	struct stated_wait after, again;
	struct hint hint = take(string, size, &after), other;
	bool has_wait = is_printed(&after);
	char lines[256];
	struct text text = text_in(lines, sizeof lines);

	fuzz_require(hint.unreadable >= 0 && hint.unreadable <= (int)size,
	    "more lines than bytes");
	fuzz_require(lseek(file, 0, SEEK_END) == 0, "the file was not emptied");
	if (has_wait)
		print_wait(&text, &after.when);
	if (hint.verdict != VERDICT_NONE) {
		text_add(&text, "\nverdict=");
		text_add(&text, verdict_name(hint.verdict));
	}
	other = take(lines, text.length, &again);
	fuzz_require(other.unreadable == 0 && other.verdict == hint.verdict,
	    "printed, it is another hint");
	fuzz_require(!has_wait
	        || (again.stated == STATED_READ
	            && again.when.kind == after.when.kind
	            && again.when.ns == after.when.ns),
	    "printed, it is another wait");
}
