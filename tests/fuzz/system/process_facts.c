/* SPDX-License-Identifier: MIT */
/* A block of KERN_PROCARGS2: what is found lies in it, behind the arguments. */
#include <config.h>

#include "system/system.h"
#include "fuzz/fuzz.h"

#define ENTRY "BACKOFF_ID=1"

static size_t
nuls_before(const char *block, const char *end)
{
	size_t nuls = 0;

	for (const char *at = block + sizeof(int); at < end; at++)
		nuls += *at == '\0';
	return nuls;
}

static void
fuzz(char *block, size_t size)
{
	const char *last = NULL;
	int arguments;

	if (!process_block_has(block, size, ENTRY))
		return;
	memcpy(&arguments, block, sizeof arguments);
	for (const char *at = block + sizeof arguments;
	     at + sizeof ENTRY <= block + size + 1; at++)
		if (memcmp(at, ENTRY, sizeof ENTRY) == 0)
			last = at;
	fuzz_require(last != NULL, "it is not there");
	fuzz_require(
	    arguments >= 0 && nuls_before(block, last) > (size_t)arguments,
	    "an environment among the arguments");
}
