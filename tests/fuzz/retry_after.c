/* SPDX-License-Identifier: MIT */
/*
 * The Retry-After header: the first 8 bytes are the present, in seconds. A
 * wait is printed as seconds and as a date, and both are read again.
 */
#include <config.h>

#include <inttypes.h>
#include <time.h>

#include "core/duration.h"
#include "fuzz.h"
#include "streams/retry_after.h"

/* -1: there is none. */
static int64_t
wait_of(const char *line, size_t length, int64_t epoch_ns)
{
	struct retry_after found = { .header = HEADER_MISSING };

	retry_after_look(&found, line, length, epoch_ns);
	fuzz_require(found.wait_ns >= 0, "a wait below 0");
	return found.header == HEADER_READ ? found.wait_ns : -1;
}

static void
check_again(int64_t ns, int64_t epoch_ns)
{
	char line[128];
	int64_t seconds = ns / NS_PER_S;
	time_t at = (time_t)(epoch_ns / NS_PER_S + seconds);
	struct tm tm;
	int64_t other_ns;

	snprintf(line, sizeof line, "< retry-after: %" PRId64 " \r", seconds);
	other_ns = wait_of(line, strlen(line), epoch_ns);
	fuzz_require(other_ns == seconds * NS_PER_S,
	    "printed as seconds, it is another wait");
	if (at > INT64_MAX / NS_PER_S || gmtime_r(&at, &tm) == NULL)
		return;
	strftime(
	    line, sizeof line, "Retry-After: %a, %d %b %Y %H:%M:%S GMT", &tm);
	other_ns = wait_of(line, strlen(line), epoch_ns);
	fuzz_require(other_ns == (seconds == 0 ? 0 : at * NS_PER_S - epoch_ns),
	    "printed as a date, it is another wait");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t epoch_s = 0, epoch_ns, ns;
	char *line;

	for (; size > 0 && epoch_s < INT64_C(1) << 40; data++, size--) {
		if (*data < '0' || *data > '9')
			break;
		epoch_s = epoch_s * 10 + (*data - '0');
	}
	epoch_ns = saturating_multiply(epoch_s, NS_PER_S);
	line = fuzz_string(data, size);
	ns = wait_of(line, size, epoch_ns);
	/* What is longer than all of time has no seconds to print. */
	if (ns >= 0 && ns < INT64_MAX && epoch_ns < INT64_MAX)
		check_again(ns, epoch_ns);
	free(line);
	return 0;
}
