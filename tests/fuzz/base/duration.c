/* SPDX-License-Identifier: MIT */
/*
 * Durations, numbers, counts and sizes; what we print of them is read again.
 */
#include <config.h>

#include "core/base/base.h"
#include "fuzz/fuzz.h"

static void
check_duration(const char *string)
{
	char exact[64];
	struct text seconds = text_in(exact, sizeof exact);
	const char *brief;
	int64_t ns, other_ns;

	if (duration_scan(string, &ns) == NULL)
		return;
	fuzz_require(ns >= 0, "a duration below 0");
	brief = DURATION(ns);
	fuzz_require(
	    duration_parse(brief, &other_ns), "we cannot read what we print");
	fuzz_same(
	    brief, DURATION(other_ns), "printed twice, it is another duration");
	if (ns == DURATION_INF)
		return;
	duration_seconds(&seconds, ns);
	fuzz_require(duration_parse(exact, &other_ns) && ns == other_ns,
	    "nine decimals are not exact");
}

static void
check_size(const char *string)
{
	char brief[64];
	struct text text = text_in(brief, sizeof brief);
	int64_t bytes;

	if (!size_parse(string, &bytes))
		return;
	fuzz_require(bytes >= 0, "a size below 0");
	size_text(&text, bytes);
	fuzz_require(brief[strspn(brief, "0123456789.")] != '\0'
	        && text.length < sizeof "1234567890.9TiB",
	    "a size without a unit, or too long");
}

static void
check_number(const char *string)
{
	double number;
	int64_t count;

	if (number_parse(string, &number))
		fuzz_require(number >= 0 && number <= 1e300,
		    "a number that is out of range");
	if (count_parse(string, &count))
		fuzz_require(count >= 0, "a count below 0");
}

static void
fuzz(char *string, size_t size)
{
	check_duration(string);
	check_size(string);
	check_number(string);
}
