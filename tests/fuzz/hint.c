/* SPDX-License-Identifier: MIT */
/*
 * The file BACKOFF_HINT: what was read of it is printed, and read again.
 */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "core/duration.h"
#include "core/verdict.h"
#include "fuzz.h"
#include "streams/hint_file.h"

static int file = -1;

static struct hint
take(const void *bytes, size_t size)
{
	if (file < 0) {
		const char *name = hint_start();

		fuzz_require(name != NULL, "no hint file");
		file = open(name, O_WRONLY | O_CLOEXEC);
		fuzz_require(file >= 0, "no way to the hint file");
	}
	fuzz_require(pwrite(file, bytes, size, 0) == (ssize_t)size, "written");
	return hint_take();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hint hint = take(data, size), other;
	char lines[256];
	struct text text = text_in(lines, sizeof lines);

	fuzz_require(hint.unreadable >= 0 && hint.unreadable <= (int)size,
	    "more lines than bytes");
	fuzz_require(lseek(file, 0, SEEK_END) == 0, "the file was not emptied");
	if (hint.has_wait) {
		text_add(&text, "after=");
		if (hint.wait_ns == DURATION_INF)
			text_add(&text, "inf");
		else
			duration_seconds(&text, hint.wait_ns);
	}
	if (hint.verdict != VERDICT_NONE) {
		text_add(&text, "\nverdict=");
		text_add(&text, verdict_name(hint.verdict));
	}
	other = take(lines, text.length);
	fuzz_require(other.unreadable == 0 && other.verdict == hint.verdict
	        && other.has_wait == hint.has_wait
	        && other.wait_ns == hint.wait_ns,
	    "printed, it is another hint");
	return 0;
}
