/* SPDX-License-Identifier: MIT */
/* CODES: each line of the input is a list for the next verdict. */
#include <config.h>

#include "core/judge/outcome.h"
#include "fuzz/fuzz.h"

static const enum verdict verdicts[] = { VERDICT_SUCCESS, VERDICT_PASS,
	VERDICT_RETRY, VERDICT_THROTTLE, VERDICT_STOP };

static void
fuzz(char *string, size_t size)
{
	static const struct codes none;
	struct codes codes = none;
	char *line = string, *end;
	enum codes_error error = CODES_OK;

	(void)size;
	for (int i = 0; i < 5 && line != NULL && error == CODES_OK; i++) {
		struct codes_fault fault;

		end = strchr(line, '\n');
		if (end != NULL)
			*end = '\0';
		error = codes_add(&codes, line, verdicts[i], &fault);
		if (error != CODES_OK) {
			fuzz_require(fault.item >= line
			        && fault.item + fault.length
			            <= line + strlen(line),
			    "an item outside of the list");
		}
		line = end != NULL ? end + 1 : NULL;
	}
}
