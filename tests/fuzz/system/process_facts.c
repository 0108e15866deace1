/* SPDX-License-Identifier: MIT */
/*
 * A block of KERN_PROCARGS2: what is returned lies in it, up to its end, and
 * what was before is not less than the arguments.
 */
#include <config.h>

#include "system/process_facts.h"
#include "fuzz/fuzz.h"

static void
check_found(const char *block, size_t size, const char *found, size_t length)
{
	size_t nuls = 0;
	int arguments;

	memcpy(&arguments, block, sizeof arguments);
	fuzz_require(length > 0 && found > block && found < block + size
	        && found + length == block + size,
	    "an environment that is not the rest");
	for (const char *at = block + sizeof arguments; at < found; at++)
		nuls += *at == '\0';
	fuzz_require(arguments >= 0 && nuls > (size_t)arguments,
	    "an environment among the arguments");
	process_environ_has(found, length, "BACKOFF_ID=1");
}

static void
fuzz(char *string, size_t size)
{
	char *block = fuzz_copy(string, size);
	size_t length;
	const char *found = process_facts_environment(block, size, &length);

	if (found != NULL)
		check_found(block, size, found, length);
	else
		fuzz_require(length == 0, "a length of nothing");
	free(block);
}
