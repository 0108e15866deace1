/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <time.h>

#include "process/time_of_day.h"
#include "unit/tap.h"
#include "unit/zone.h"

static int64_t
next(int64_t now_s, const char *text)
{
	return time_of_day_next(now_s, time_of_day_parse(text));
}

static void
test_parse(void)
{
	static const char *const wrong[] = { "24:00", "12:60", "12:00:60", "12",
		"12:", "12:00:", "12:00:00:00", "", "1:00", "12:00pm" };

	is_int(time_of_day_parse("00:00"), 0, "midnight");
	is_int(time_of_day_parse("02:30"), 9000, "half past two");
	is_int(time_of_day_parse("23:59:59"), 86399, "the last second");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		is_int(time_of_day_parse(wrong[i]), -1, wrong[i]);
}

static void
test_usual(void)
{
	zone("UTC0");
	is_int(next(utc(6, 1, 10, 0), "10:01"), utc(6, 1, 10, 1), "soon");
	is_int(next(utc(6, 1, 10, 0), "09:59"), utc(6, 2, 9, 59), "tomorrow");
	is_int(next(utc(6, 1, 10, 0), "10:00"), utc(6, 2, 10, 0),
	    "now is not next");
	is_int(next(utc(6, 1, 10, 0) + 7, "10:00:08"), utc(6, 1, 10, 0) + 8,
	    "a second");
	zone("NPT-5:45");
	is_int(next(utc(6, 1, 10, 0), "15:46"), utc(6, 1, 10, 1),
	    "a zone of a quarter");
}

/* On March 29, 2026, 02:00 is followed by 03:00, at 01:00 UTC. */
static void
test_skipped(void)
{
	int64_t before = utc(3, 28, 23, 0), change = utc(3, 29, 1, 0);

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_int(next(before, "01:59"), utc(3, 29, 0, 59), "before the change");
	is_int(next(before, "02:00"), change, "the first moment skipped");
	is_int(next(before, "02:59:59"), change, "the last one");
	is_int(next(change, "02:30"), utc(3, 30, 0, 30), "on the next day");
	is_int(next(before, "00:30"), utc(3, 28, 23, 30), "the same night");
	is_int(next(before - 1800, "23:15"), utc(3, 29, 21, 15),
	    "a day of 23 hours");
}

/* On October 25, 2026, 03:00 is followed by 02:00, at 01:00 UTC. */
static void
test_repeated(void)
{
	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_int(next(utc(10, 24, 22, 0), "02:30"), utc(10, 25, 0, 30),
	    "the first of two");
	is_int(next(utc(10, 25, 0, 30), "02:30"), utc(10, 25, 1, 30),
	    "the second of two");
	is_int(next(utc(10, 25, 1, 30), "02:30"), utc(10, 26, 1, 30),
	    "and then tomorrow's");
	is_int(next(utc(10, 24, 22, 30), "00:30"), utc(10, 25, 23, 30),
	    "a day of 25 hours");
}

/* localtime_r(3) knows no year beyond 2^31. */
static void
test_end_of_time(void)
{
	zone("UTC0");
	is_int(next(INT64_MAX / 2, "02:30"), -1, "the end of time has none");
}

TESTS
{
	test_end_of_time();
	test_parse();
	test_usual();
	test_skipped();
	test_repeated();
}
