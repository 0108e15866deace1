/* SPDX-License-Identifier: MIT */
/*
 * What backoff and its helper say: what was read is written, and read again.
 */
#include <config.h>

#include "core/gate/fleet_line.h"
#include "fuzz/fuzz.h"

static void
fuzz(char *string, size_t size)
{
	char room[FLEET_LINE_SIZE], again[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	struct fleet_line line, other;

	if (fleet_line_read(&line, string)) {
		for (int i = 0; i < FLEET_NUMBERS; i++)
			fuzz_require(line.numbers[i] >= 0, "a negative number");
		fleet_line_write(&text, &line);
		fuzz_require(fleet_line_read(&other, room),
		    "we cannot read the message that we write");
		text = text_in(again, sizeof again);
		fleet_line_write(&text, &other);
		fuzz_same(room, again, "written twice, it is another one");
	}
}
