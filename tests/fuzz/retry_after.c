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

static void
check_again(int64_t ns, int64_t epoch_ns)
{
	char line[128];
	int64_t seconds = ns / NS_PER_S;
	time_t at = (time_t)(epoch_ns / NS_PER_S + seconds);
	struct tm tm;
	int64_t other_ns;

	snprintf(line, sizeof line, "< retry-after: %" PRId64 " \r", seconds);
	other_ns = retry_after_line(line, strlen(line), epoch_ns);
	fuzz_require(other_ns == seconds * NS_PER_S,
	    "printed as seconds, it is another wait");
	if (at > INT64_MAX / NS_PER_S || gmtime_r(&at, &tm) == NULL)
		return;
	strftime(
	    line, sizeof line, "Retry-After: %a, %d %b %Y %H:%M:%S GMT", &tm);
	other_ns = retry_after_line(line, strlen(line), epoch_ns);
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
	ns = retry_after_line(line, size, epoch_ns);
	fuzz_require(ns >= RETRY_AFTER_UNREADABLE, "a wait below 0");
	/* What is longer than all of time has no seconds to print. */
	if (ns >= 0 && ns < INT64_MAX && epoch_ns < INT64_MAX)
		check_again(ns, epoch_ns);
	free(line);
	return 0;
}
