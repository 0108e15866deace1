/* SPDX-License-Identifier: MIT */
/*
 * What backoff and its helper say: whatever that is, all fields are there.
 */
#include <config.h>

#include <string.h>

#include "core/gate/gate.h"
#include "fuzz/fuzz.h"

static void
fuzz(char *string, size_t size)
{
	size_t length = strlen(string), read = 0;
	struct fleet_line line;

	(void)size;
	fleet_line_read(&line, string);
	for (int i = 0; i < FLEET_FIELDS; i++) {
		fuzz_require(line.numbers[i] >= 0, "a negative number");
		read += strlen(line.fields[i]);
	}
	fuzz_require(read <= length, "more than there was");
}
