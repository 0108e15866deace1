/* SPDX-License-Identifier: MIT */
/*
 * WHEN: the first 8 bytes are the present, in seconds. What is read is printed
 * and read again, and must be the same moment.
 */
#include <config.h>

#include <inttypes.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "fuzz/fuzz.h"
#include "system/system.h"

static void
print_zone(char *at, size_t size, const struct when *when)
{
	int offset = when->offset_s / 60;

	if (when->zone == ZONE_NAMED)
		snprintf(at, size, " (%s)", when->zone_name);
	else if (when->zone == ZONE_OFFSET)
		snprintf(at, size, "%c%02d:%02d", offset < 0 ? '-' : '+',
		    abs(offset) / 60, abs(offset) % 60);
}

static void
print(char *line, size_t size, const struct when *when)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May",
		"Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	const struct date *date = &when->date;
	int minute = date->second / 60, second = date->second % 60;
	int length = 0;

	if (when->kind == WHEN_DURATION) {
		snprintf(line, size, "%" PRId64 "ns", when->ns);
		return;
	}
	if (when->kind == WHEN_EPOCH) {
		snprintf(line, size, "@%" PRId64 ".%09" PRId64,
		    when->ns / NS_PER_S, when->ns % NS_PER_S);
		return;
	}
	/* A leap second at the end of the day. */
	if (minute == 24 * 60) {
		minute--;
		second = 60;
	}
	if (date->year != 0)
		length = snprintf(line, size, "%04d-%02d-%02d ", date->year,
		    date->month, date->day);
	else if (date->month != 0)
		length = snprintf(line, size, "%s %d at ",
		    months[date->month - 1], date->day);
	length += snprintf(line + length, size - (size_t)length,
	    "%02d:%02d:%02d", minute / 60, minute % 60, second);
	print_zone(line + length, size - (size_t)length, when);
}

static void
fuzz(char *string, size_t size)
{
	int64_t epoch_s = 0, epoch_ns, moment_ns = 0, again_ns = 0;
	struct when when, again;
	char line[160];
	const char *rest;
	bool is_there;

	for (; epoch_s < INT64_C(1) << 32; string++, size--) {
		if (*string < '0' || *string > '9')
			break;
		epoch_s = epoch_s * 10 + (*string - '0');
	}
	epoch_ns = saturating_multiply(epoch_s, NS_PER_S);
	rest = when_scan(string, &when);
	if (rest != NULL) {
		fuzz_require(
		    rest > string && rest <= string + size, "no progress");
		fuzz_require(when.ns >= 0, "a time below 0");
		is_there = calendar_moment(&when, epoch_ns, &moment_ns);
		fuzz_require(
		    !is_there || moment_ns >= epoch_ns, "a moment in the past");
		print(line, sizeof line, &when);
		if (!when_parse(line, &again))
			fprintf(stderr, "printed: %s\n", line);
		fuzz_require(when_parse(line, &again), "not read again");
		fuzz_require(again.kind == when.kind, "of another kind");
		fuzz_require(
		    is_there == calendar_moment(&again, epoch_ns, &again_ns),
		    "a moment only once");
		fuzz_require(
		    !is_there || moment_ns == again_ns, "another moment");
	}
}
