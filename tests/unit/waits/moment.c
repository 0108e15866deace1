/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <time.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "system/system.h"
#include "unit/tap.h"

#define MINUTE 60
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* By POSIX rules, so that no file of the system decides. */
#define AMSTERDAM "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define KOLKATA "IST-5:30"
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"

static void
zone(const char *rules)
{
	setenv("TZ", rules, 1);
	tzset();
}

/* 2026-MONTH-DAY at that time in UTC, as seconds since the epoch. */
static int64_t
utc(int month, int day, int hour, int minute)
{
	struct tm tm = { .tm_year = 126,
		.tm_mon = month - 1,
		.tm_mday = day,
		.tm_hour = hour,
		.tm_min = minute };

	return timegm(&tm);
}

/* -1: there is no such time. */
static int64_t
moment(const char *text, int64_t now_s)
{
	struct when when;
	int64_t moment_ns;

	if (!when_parse(text, &when)
	    || !calendar_moment(&when, now_s * NS_PER_S, &moment_ns))
		return -1;
	return moment_ns / NS_PER_S;
}

static void
is_at(const char *text, int64_t now_s, int64_t wanted_s, const char *what)
{
	is_int(moment(text, now_s), wanted_s, what);
}

TEST(simple)
{
	zone(NEW_YORK);
	is_at("5s", 1000, 1005, "a duration is from now on");
	is_at("@500", 1000, 1000, "the past is now");
	is_at("2023-08-04T12:00:00Z", 1000, 1691150400, "a date is a moment");
	is_at("0001-01-01 00:00", utc(6, 1, 0, 0), utc(6, 1, 0, 0),
	    "before all calendars");
	is_at("9999-12-31T23:59:59Z", utc(6, 1, 0, 0), INT64_MAX / NS_PER_S,
	    "after all clocks");
	is_at("2016-12-31T23:59:60Z", 1000, 1483228800,
	    "a leap second is the next minute");
	is_at("2026-06-01 12:00", utc(1, 1, 0, 0), utc(6, 1, 16, 0),
	    "a date is local without a zone");
	is_at("2026-06-01 12:00+02:00", utc(1, 1, 0, 0), utc(6, 1, 10, 0),
	    "  and not with one");
}

static void
test_time_of_day(const char *rules, int64_t east_s)
{
	int64_t three = utc(6, 10, 15, 0) - east_s;

	zone(rules);
	is_at("3pm", three + HOUR, three + DAY, "tomorrow");
	is_at("3pm", three + 14 * MINUTE, three + 14 * MINUTE,
	    "14 minutes ago is now");
	is_at("3pm", three + 15 * MINUTE, three + 15 * MINUTE,
	    "15 minutes ago, too");
	is_at("3pm", three + 16 * MINUTE, three + DAY,
	    "16 minutes ago is tomorrow");
	is_at("12:10am", utc(6, 10, 23, 50) - east_s,
	    utc(6, 11, 0, 10) - east_s, "across midnight");
	is_at("11:50pm", utc(6, 11, 0, 6) - east_s, utc(6, 11, 23, 50) - east_s,
	    "16 minutes ago across midnight");
	is_at("3pm UTC", utc(6, 10, 14, 0), utc(6, 10, 15, 0), "in UTC");
	is_at("3pm UTC", utc(6, 10, 15, 14), utc(6, 10, 15, 14),
	    "  14 minutes ago");
	is_at("00:10+02:00", utc(6, 10, 21, 50), utc(6, 10, 22, 10),
	    "with an offset across midnight");
	is_at("23:50-05:00", utc(6, 10, 5, 4), utc(6, 10, 5, 4),
	    "  14 minutes ago");
}

TEST(days)
{
	zone(AMSTERDAM);
	is_at("Nov 25, 3pm", utc(11, 23, 12, 0), utc(11, 25, 14, 0),
	    "a date of this year");
	is_at("Nov 25, 3pm", utc(11, 25, 14, 14), utc(11, 25, 14, 14),
	    "14 minutes ago is now");
	is_at("Nov 25, 3pm", utc(11, 25, 14, 16),
	    utc(11, 25, 14, 0) + 365 * DAY, "16 minutes ago is next year");
	is_at("Jan 1 at 00:10", utc(12, 31, 22, 50), utc(12, 31, 23, 10),
	    "across the end of the year");
	is_at("Dec 31, 11:50pm", utc(12, 31, 23, 4), utc(12, 31, 23, 4),
	    "  and just before it");
	is_at("Feb 29, 3pm UTC", utc(3, 1, 0, 0), 1835449200,
	    "a leap day is that of 2028");
	is_at("Jan 1, 0:30 +02:00", utc(12, 31, 21, 0), utc(12, 31, 22, 30),
	    "  with an offset");
}

/* On 29 March 2026 a clock in Amsterdam goes from 2:00 to 3:00, 1:00 UTC. */
TEST(gap)
{
	int64_t change = utc(3, 29, 1, 0);

	zone(AMSTERDAM);
	is_at("2:30", change - HOUR, change, "a time in the gap is its end");
	is_at("2026-03-29 02:30", 0, change, "a date in the gap, too");
	is_at("1:59", change - HOUR, change - MINUTE, "before the gap");
	is_at("2026-03-29 03:00", 0, change, "  as a date");
	is_at("2026-03-29 01:59:59", 0, change - 1, "  and before it");
	is_at("3pm", change - HOUR, utc(3, 29, 13, 0), "on that day");
	is_at("2:30", change + 20 * MINUTE, utc(3, 30, 0, 30),
	    "the gap was 20 minutes ago");
}

/* On 25 October it goes from 3:00 to 2:00, 1:00 UTC. */
TEST(overlap)
{
	int64_t change = utc(10, 25, 1, 0);

	zone(AMSTERDAM);
	is_at("2:30", change - 2 * HOUR, change - 30 * MINUTE,
	    "a time that comes twice is the first");
	is_at("2026-10-25 02:30", 0, change - 30 * MINUTE, "  as a date");
	is_at("Oct 25, 2:30", change - DAY, change - 30 * MINUTE,
	    "  without a year");
	is_at("2:30", change, change + 30 * MINUTE,
	    "after the first, it is the second");
	is_at("2:30", change - 16 * MINUTE, change - 16 * MINUTE,
	    "14 minutes after the first it is now");
	is_at("3:30", change - HOUR, change + 90 * MINUTE, "after both");
	is_at("2026-10-25 03:00", 0, change + HOUR, "  as a date");
	is_at("2026-10-25 01:59:59", 0, change - HOUR - 1, "  before both");
	is_at("3pm", change - HOUR, utc(10, 25, 14, 0), "on that day");
}

TEST(other_changes)
{
	zone(NEW_YORK);
	is_at("2026-03-08 02:30", 0, utc(3, 8, 7, 0), "New York: the gap");
	is_at("2026-11-01 01:30", 0, utc(11, 1, 5, 30), "  the overlap");
	zone(LORD_HOWE);
	is_at(
	    "2026-10-04 02:15", 0, utc(10, 3, 15, 30), "half an hour: the gap");
	is_at("2026-04-05 01:45", 0, utc(4, 4, 14, 45), "  the overlap");
}

TEST(files)
{
	int64_t now = utc(11, 23, 12, 0);

	zone(NEW_YORK);
	if (!calendar_has_zone("Europe/Amsterdam")) {
		skip("zones of the system", "it has no files of zones");
		return;
	}
	is_at("8pm (Europe/Amsterdam)", now, utc(11, 23, 19, 0),
	    "a zone of the system");
	is_at("8pm (Europe/Amsterdam)", utc(6, 1, 0, 0), utc(6, 1, 18, 0),
	    "  in summer");
	is_at("Nov 25 at 3pm (America/New_York)", now, utc(11, 25, 20, 0),
	    "another one, with a date");
	is_at("2026-03-29 02:30 (Europe/Amsterdam)", 0, utc(3, 29, 1, 0),
	    "its gap");
	is_at("3pm (Mars/Phobos)", now, -1, "no such zone");
	is_at("3pm (Europe)", now, -1, "a directory");
	is_at("3pm (leapseconds)", now, -1, "a file that is no zone");
	is_string(getenv("TZ"), NEW_YORK, "TZ is as it was");
	is_at("3pm", now, utc(11, 23, 20, 0), "  and so is local time");
	unsetenv("TZ");
	moment("8pm (Europe/Amsterdam)", now);
	ok(getenv("TZ") == NULL, "or it is missing, as it was");
	ok(!calendar_has_zone("../../etc/passwd"), "no way out");
	setenv("TZDIR", "/nonexistent", 1);
	is_at("8pm (Europe/Amsterdam)", now, utc(11, 23, 19, 0),
	    "TZDIR is not the only place");
	unsetenv("TZDIR");
}

static void
shows(int64_t moment_ns, int64_t now_s, const char *wanted)
{
	char buffer[40];
	struct text text = text_in(buffer, sizeof buffer);

	calendar_text(&text, moment_ns, now_s * NS_PER_S);
	is_string(buffer, wanted, "a local clock");
}

TEST(text)
{
	int64_t now = utc(11, 23, 12, 0);

	zone(AMSTERDAM);
	shows((now + 8 * HOUR) * NS_PER_S, now, "21:00:00");
	shows((now + 8 * HOUR) * NS_PER_S - 1, now, "21:00:00");
	shows((now + 8 * HOUR) * NS_PER_S + 1, now, "21:00:01");
	shows((now + 11 * HOUR) * NS_PER_S, now, "2026-11-24 00:00:00");
	shows((now + 365 * DAY) * NS_PER_S, now, "2027-11-23 13:00:00");
	shows(INT64_MAX, now, "2262-04-12 01:47:17");
}

/* --- of a day --- */

static int64_t
next(int64_t now_s, const char *text)
{
	int64_t next_ns
	    = calendar_next(time_of_day_parse(text), now_s * NS_PER_S);

	return next_ns < 0 ? -1 : next_ns / NS_PER_S;
}

TEST(parse)
{
	static const char *const wrong[] = { "24:00", "12:60", "12:00:60", "12",
		"12:", "12:00:", "12:00:00:00", "", "1:00", "12:00pm" };

	is_int(time_of_day_parse("00:00"), 0, "midnight");
	is_int(time_of_day_parse("02:30"), 9000, "half past two");
	is_int(time_of_day_parse("23:59:59"), 86399, "the last second");
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
		is_int(time_of_day_parse(wrong[i]), -1, wrong[i]);
}

TEST(next)
{
	int64_t before = utc(3, 28, 23, 0), change = utc(3, 29, 1, 0);

	zone("UTC0");
	is_int(next(utc(6, 1, 10, 0), "10:00"), utc(6, 2, 10, 0),
	    "now is not next");
	is_int(next(utc(6, 1, 10, 0) + 7, "10:00:08"), utc(6, 1, 10, 0) + 8,
	    "a second");
	zone("NPT-5:45");
	is_int(next(utc(6, 1, 10, 0), "15:46"), utc(6, 1, 10, 1),
	    "a zone of a quarter");
	zone(AMSTERDAM);
	is_int(next(before, "02:00"), change, "the first moment skipped");
	is_int(next(before, "02:59:59"), change, "the last one");
	is_int(next(before, "00:30"), utc(3, 28, 23, 30), "the same night");
	is_int(next(before - 1800, "23:15"), utc(3, 29, 21, 15),
	    "a day of 23 hours");
	is_int(next(utc(10, 25, 1, 30), "02:30"), utc(10, 26, 1, 30),
	    "after the second of two, tomorrow's");
	is_int(next(utc(10, 24, 22, 30), "00:30"), utc(10, 25, 23, 30),
	    "a day of 25 hours");
}

/* At the end of 1970, clocks go a whole day forward, as on Samoa in 2011. */
static bool
day_is_skipped(int64_t at_s, int64_t *offset_s)
{
	*offset_s = at_s < 365 * DAY ? 0 : DAY;
	return at_s < 366 * DAY;
}

TEST(skipped_day)
{
	static const struct zone samoa = { .offset_at = day_is_skipped };
	int64_t moment_s;

	ok(moment_shown(&samoa, 365 * DAY - HOUR, 2 * HOUR, true, &moment_s),
	    "a day without a date has times");
	is_int(moment_s, 365 * DAY + 2 * HOUR, "  as any other");
	ok(!moment_shown(&samoa, 366 * DAY, 0, true, &moment_s),
	    "the end of time has none");
}

TEST(times_of_day)
{
	test_time_of_day(AMSTERDAM, 2 * HOUR);
	test_time_of_day(NEW_YORK, -4 * HOUR);
	test_time_of_day(KOLKATA, 5 * HOUR + 30 * MINUTE);
}
