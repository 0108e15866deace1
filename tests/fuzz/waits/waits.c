/* SPDX-License-Identifier: MIT */
/*
 * Lines of output that may state a wait: a line after all others decides for
 * its source.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "fuzz/fuzz.h"

static bool
has_zone(const char *name)
{
	return *name != 'M';
}

static void
fuzz(char *string, size_t size)
{
	static struct waits waits;
	char header[] = "Retry-After: 7";
	char keys[] = "{\"retry_after\": 8}, try again in 9s";
	const char *end = string + size;

	waits.wanted = WANTED_ALL;
	waits.has_zone = has_zone;
	waits_reset(&waits);
	for (char *line = string; line <= end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		char *stop = newline != NULL ? newline : string + size;

		*stop = '\0';
		waits_point(&waits, WAIT_REGEX, line);
		waits_look(&waits, line, strlen(line));
		line = stop + 1;
	}
	for (int i = 0; i < WAIT_SOURCES; i++) {
		const struct stated_wait *said
		    = waits_of(&waits, (enum wait_source)i);

		fuzz_require(said->stated != STATED_READ || said->when.ns >= 0,
		    "a wait below 0");
		fuzz_require(said->stated != STATED_UNREADABLE
		        || strlen(said->text) <= WAIT_TEXT,
		    "a text out of bounds");
	}
	waits_look(&waits, header, strlen(header));
	waits_look(&waits, keys, strlen(keys));
	fuzz_require(waits_of(&waits, WAIT_HEADER)->when.ns == 7 * NS_PER_S,
	    "the last header does not count");
	fuzz_require(waits_of(&waits, WAIT_KEY)->when.ns == 8 * NS_PER_S,
	    "the last key does not count");
	fuzz_require(waits_of(&waits, WAIT_SENTENCE)->when.ns == 9 * NS_PER_S,
	    "the last sentence does not count");
}
