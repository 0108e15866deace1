/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <time.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "unit/tap.h"

/* What is read, as words: "in 5s", "@ 1788625200s", "day 11-25 15:00:00". */
static void
describe(char *buffer, size_t size, const struct when *when)
{
	static const char kinds[][6] = { "in", "@" };
	const struct date *date = &when->date;
	int length;

	if (when->kind == WHEN_DURATION || when->kind == WHEN_EPOCH) {
		bool whole = when->ns % NS_PER_S == 0;

		snprintf(buffer, size, "%s %" PRId64 "%s%s", kinds[when->kind],
		    whole ? when->ns / NS_PER_S : when->ns, whole ? "s" : "",
		    when->is_number ? " alone" : "");
		return;
	}
	if (date->year != 0)
		length = snprintf(buffer, size, "date %04d", date->year);
	else
		length = snprintf(
		    buffer, size, "%s", date->month != 0 ? "day" : "time");
	if (date->month != 0)
		length += snprintf(buffer + length, size - (size_t)length,
		    " %02d-%02d", date->month, date->day);
	length += snprintf(buffer + length, size - (size_t)length,
	    " %02d:%02d:%02d", date->second / 3600, date->second / 60 % 60,
	    date->second % 60);
	if (when->zone == ZONE_OFFSET)
		snprintf(buffer + length, size - (size_t)length, " %+d",
		    when->offset_s);
	else if (when->zone == ZONE_NAMED)
		snprintf(buffer + length, size - (size_t)length, " %s",
		    when->zone_name);
}

/* TEXT begins with a WHEN that is WANTED. */
static void
begins(const char *text, const char *wanted)
{
	/* On the heap, where reading beyond it is noticed. */
	char *exact = strdup(text), got[200] = "nothing";
	struct when when;
	const char *rest;

	if (exact == NULL)
		return;
	rest = when_scan(exact, &when);
	if (rest != NULL)
		describe(got, sizeof got, &when);
	if (rest != NULL && *rest != '\0')
		snprintf(
		    got + strlen(got), sizeof got - strlen(got), "|%s", rest);
	is_string(got, wanted, text);
	free(exact);
}

/* What each begins with, and what follows that, behind a "|". */
static const char *const rows[][2] = {
	/* Durations. */
	{ "12s", "in 12s" }, { "1h 3m 20s", "in 3800s" },
	{ "1h3m20s", "in 3800s" }, { "6m0s", "in 360s" },
	{ "1m12.5s", "in 72500000000" }, { "34.074824224s", "in 34074824224" },
	{ "90 seconds", "in 90s" }, { "1 second", "in 1s" },
	{ "2.5 min", "in 150s" }, { "2 mins", "in 120s" },
	{ "1 hour and 30 minutes", "in 5400s" },
	{ "1 hour, and 30 minutes", "in 5400s" },
	{ "1 day, 2 hours", "in 93600s" }, { "2 days", "in 172800s" },
	{ "1 hr 5 secs", "in 3605s" }, { "250ms", "in 250000000" },
	{ "250 milliseconds", "in 250000000" }, { "250 msec", "in 250000000" },
	{ "3 Minutes", "in 180s" }, { "5S", "in 5s" }, { "347us", "in 347000" },
	{ "880.092\xc2\xb5s", "in 880092" }, { "7\xce\xbcs", "in 7000" },
	{ "1,234 seconds", "in 1234s" },
	{ "1,234,567.5 seconds", "in 1234567500000000" },
	{ "5 minute(s) and 30 second(s)", "in 330s" },
	{ "1 week", "in 604800s" }, { "a minute", "in 60s" },
	{ "one minute", "in 60s" }, { "an hour", "in 3600s" },
	{ "ten seconds", "in 10s" }, { "372' seconds", "in 372s" },
	{ "30-second", "in 30s" }, { "5us", "in 5000" }, { "7ns", "in 7" },
	{ ".5s", "in 500000000" }, { "0.0000000001s", "in 1" },
	{ "999999999999999999999999d", "in 9223372036854775807" },
	{ "5m 3 attempts left", "in 300s| 3 attempts left" },
	{ "1s 2s", "in 1s| 2s" },
	{ "1 minute, 30 others", "in 60s|, 30 others" },
	{ "5s.Try again", "in 5s|.Try again" },
	{ "3 seconds. Please", "in 3s|. Please" },
	{ "5s, please", "in 5s|, please" },
	{ "5 parsecs", "in 5s alone| parsecs" },
	/* Numbers. */
	{ "35", "in 35s alone" }, { "2733", "in 2733s alone" },
	{ "34.07", "in 34070000000 alone" }, { "0", "in 0s alone" },
	{ "999999999", "in 999999999s alone" },
	{ "999999999.9", "in 999999999900000000 alone" },
	{ "1000000000", "@ 1000000000s alone" },
	{ "1788625200", "@ 1788625200s alone" },
	{ "1788625200.5", "@ 1788625200500000000 alone" },
	{ "999999999999", "@ 9223372036854775807 alone" },
	{ "1000000000000", "@ 1000000000s alone" },
	{ "1788625200123", "@ 1788625200123000000 alone" },
	{ "@1788625200", "@ 1788625200s" },
	{ "@1788625200.25", "@ 1788625200250000000" }, { "@5", "@ 5s" },
	{ "3 attempts", "in 3s alone| attempts" }, { "3.", "in 3s alone|." },
	/* Dates. */
	{ "2023-08-04T12:00:00Z", "date 2023 08-04 12:00:00 +0" },
	{ "2023-08-04t12:00:00.123456z", "date 2023 08-04 12:00:01 +0" },
	{ "2023-08-04t12:00:00.000z", "date 2023 08-04 12:00:00 +0" },
	{ "2023-08-04 23:59:60.5Z", "date 2023 08-04 24:00:00 +0" },
	{ "2025-03-05 07:21:31 UTC", "date 2025 03-05 07:21:31 +0" },
	{ "2025-03-05 07:21:31 +0000 UTC", "date 2025 03-05 07:21:31 +0| UTC" },
	{ "2026-11-23 15:00+01:00", "date 2026 11-23 15:00:00 +3600" },
	{ "2026-11-23 15:00+01:59", "date 2026 11-23 15:00:00 +7140" },
	{ "2026-11-23 15:00-0530", "date 2026 11-23 15:00:00 -19800" },
	{ "2026-11-23 15:00 +02", "date 2026 11-23 15:00:00 +7200" },
	{ "2026-11-23 15:00", "date 2026 11-23 15:00:00" },
	{ "2026-11-23 15:00 (Europe/Amsterdam)",
	    "date 2026 11-23 15:00:00 Europe/Amsterdam" },
	{ "2016-12-31T23:59:60Z", "date 2016 12-31 24:00:00 +0" },
	{ "2024-02-29 00:00", "date 2024 02-29 00:00:00" },
	{ "Thu, 12 Dec 2024 14:24:53 GMT", "date 2024 12-12 14:24:53 +0" },
	{ "Thursday, 12-Dec-24 14:24:53 GMT", "date 2024 12-12 14:24:53 +0" },
	{ "Sunday, 06-Nov-94 08:49:37 GMT", "date 1994 11-06 08:49:37 +0" },
	{ "Sun Nov  6 08:49:37 1994", "date 1994 11-06 08:49:37" },
	{ "2026/11/25 18:36:51", "date 2026 11-25 18:36:51" },
	{ "25 November 2026 18:36 UTC", "date 2026 11-25 18:36:00 +0" },
	{ "Dec 5th, 2026 8:19 PM", "date 2026 12-05 20:19:00" },
	{ "December 1, 2026 at 2:00 AM", "date 2026 12-01 02:00:00" },
	{ "Tuesday, December 1, 2026 at 2:00 a.m.",
	    "date 2026 12-01 02:00:00" },
	{ "12/16/2026, 7:15:56 PM", "date 2026 12-16 19:15:56" },
	{ "thu, 12 dec 2024 14:24:53 gmt", "date 2024 12-12 14:24:53 +0" },
	{ "Thu, 12 Dec 2024 14:24:53 +0100", "date 2024 12-12 14:24:53 +3600" },
	{ "Thu, 12 Dec 2024 14:24:53 GMT or email",
	    "date 2024 12-12 14:24:53 +0| or email" },
	{ "2023-08-04T12:00:00Z: see", "date 2023 08-04 12:00:00 +0|: see" },
	/* Times of day. */
	{ "3pm", "time 15:00:00" }, { "3:20am", "time 03:20:00" },
	{ "11 PM", "time 23:00:00" }, { "12am", "time 00:00:00" },
	{ "12:30pm", "time 12:30:00" }, { "15:04", "time 15:04:00" },
	{ "9:05", "time 09:05:00" }, { "15:04:05", "time 15:04:05" },
	{ "3pm UTC", "time 15:00:00 +0" }, { "15:04 GMT", "time 15:04:00 +0" },
	{ "15:04Z", "time 15:04:00 +0" }, { "15:04+1", "time 15:04:00 +3600" },
	{ "15:04+02:00", "time 15:04:00 +7200" },
	{ "3pm (UTC)", "time 15:00:00 +0" },
	{ "8pm (Europe/Amsterdam)", "time 20:00:00 Europe/Amsterdam" },
	{ "5:30am (Asia/Calcutta)", "time 05:30:00 Asia/Calcutta" },
	{ "3 p.m.", "time 15:00:00" }, { "3pm UTC+2", "time 15:00:00 +7200" },
	{ "3pm (UTC+2)", "time 15:00:00 +7200" },
	{ "10:57 PM GMT-3", "time 22:57:00 -10800" },
	{ "3pm (Etc/GMT+5)", "time 15:00:00 Etc/GMT+5" },
	{ "3pm EST", "time 15:00:00 EST" },
	{ "3pm (in 2 hours)", "time 15:00:00| (in 2 hours)" },
	{ "3pm (and", "time 15:00:00| (and" }, { "3pm AZ", "time 15:00:00 AZ" },
	{ "3pm BUT not", "time 15:00:00 BUT| not" },
	{ "3pm I think", "time 15:00:00| I think" },
	{ "3pm TODAY", "time 15:00:00| TODAY" },
	/* Days without a year. */
	{ "Nov 25, 3pm", "day 11-25 15:00:00" },
	{ "Nov 25 3pm", "day 11-25 15:00:00" },
	{ "Nov 25 at 3pm (America/New_York)",
	    "day 11-25 15:00:00 America/New_York" },
	{ "25 Nov 15:00", "day 11-25 15:00:00" },
	{ "25 Nov, 15:00 UTC", "day 11-25 15:00:00 +0" },
	{ "november 5 at 3:20am", "day 11-05 03:20:00" },
	{ "Feb 29, 3pm", "day 02-29 15:00:00" }
};

static const char *const refused[] = {
	/* Durations. */
	"5msx", "12.5.3", "5-10 minutes", "50%", "5s/3", "-5s", "soon",
	"a few minutes", "an", "1,00 seconds", "",
	/* Numbers. */
	"@", "@-1", "@soon", "1.5e3", "0x10", "2026-11-23",
	/* Dates. */
	"2023-02-30T12:00:00Z", "2023-02-29 12:00", "2100-02-29 12:00",
	"2023-13-01 12:00", "2023-00-01 12:00", "2023-01-00 12:00",
	"2023-01-32 12:00", "2023-01-01 24:00", "2023-01-01 12:60",
	"2023-01-01 12:00:61", "23-01-01 12:00", "2023-01-01 12:00+24:00",
	"2023-01-01 12:00+1:30", "Fri, 30 Feb 2024 14:24:53 GMT",
	"Thu, 12 Dec 2024 25:24:53 GMT", "Thu, 12 Dec 2024",
	"12/16/2026, 19:15:56", "16/12/2026, 7:15:56 PM",
	/* Times of day. */
	"25:99", "24:00", "15:4", "15:60", "15:04:61", "15:04:05:06", "13pm",
	"3.30pm", "0am", "3pmish", "Monday", "3pm UTC+24",
	"3pm (../../etc/passwd)", "3pm (/etc/passwd)", "3pm ()",
	"3pm (Europe/Amsterdam\1)",
	("3pm "
	 "(a_name_that_is_longer_than_that_of_any_zone_that_is_there"
	 "_or_ever_was)"),
	/* Days without a year. */
	"Feb 30, 3pm", "Nov 31 at 3pm", "Nov 0 at 3pm", "Nov 25", "25 Nov",
	"25 Nov soon", "Nov 25, 25:99", "Novem 25, 3pm", "5 may help"
};

TEST(rows)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		begins(rows[i][0], rows[i][1]);
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		begins(refused[i], "nothing");
}

/* Hundreds of digits, which are no overflow. */
TEST(long_numbers)
{
	char text[420];
	struct when when;

	memset(text, '9', 400);
	text[400] = '\0';
	ok(when_parse(text, &when) && when.kind == WHEN_EPOCH
	        && when.ns == INT64_MAX,
	    "400 digits are the end of time");
	text[400] = 's';
	text[401] = '\0';
	ok(when_parse(text, &when) && when.kind == WHEN_DURATION
	        && when.ns == INT64_MAX,
	    "  with a unit, all of time");
	memcpy(text, "0.", 2);
	memset(text + 2, '0', 397);
	ok(when_parse(text, &when) && when.ns == 1,
	    "as many decimals are rounded up");
	memset(text, '0', 400);
	ok(when_parse(text, &when) && when.ns == 0, "zeros are zero");
}

TEST(clock)
{
	static const struct {
		const char *text;
		int64_t s; /* -1: it is none */
	} cases[] = { { "4:59", 299 }, { "4:59 hours", 17940 },
		{ "00:05:00", 300 }, { "1000:00:00", 3600000 },
		{ "1:02:03.", 3723 }, { "15", -1 }, { "4:60", -1 },
		{ "4:5", -1 }, { "1:02:03:04", -1 }, { "3:20am", -1 },
		{ "15:04 UTC", -1 }, { "4:59x", -1 } };

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct when when;
		bool is_clock = when_clock(cases[i].text, &when) != NULL;

		is_int(is_clock ? when.ns / NS_PER_S : -1, cases[i].s,
		    cases[i].text);
	}
}

TEST(whole)
{
	struct when when;

	ok(when_parse("  5s \t\r", &when), "blanks may stand around it");
	ok(!when_parse("5s more", &when), "nothing else may");
	ok(!when_parse("5s.", &when), "not even a point");
	ok(!when_parse("", &when), "nothing is none");
	ok(!when_parse(" ", &when), "nor is a blank");
	ok(when_number("1500", NS_PER_MS, &when) != NULL
	        && when.kind == WHEN_DURATION && when.ns == 1500 * NS_PER_MS,
	    "a number of milliseconds");
	ok(when_number("1788625200", NS_PER_MS, &when) != NULL
	        && when.kind == WHEN_DURATION,
	    "  not so many that they count from 1970");
	ok(when_number("1788625200123", NS_PER_MS, &when) != NULL
	        && when.kind == WHEN_EPOCH
	        && when.ns == 1788625200123 * NS_PER_MS,
	    "  so many that they do");
}

/* The same as gmtime(3), for each day of 1,000 years. */
TEST(calendar)
{
	int64_t wrong = 0;

	for (int64_t day = -300000; day < 100000; day++) {
		time_t at = (time_t)(day * 86400);
		struct tm tm;
		struct date date = { 0 };

		if (gmtime_r(&at, &tm) == NULL)
			continue;
		date.year = tm.tm_year + 1900;
		date.month = tm.tm_mon + 1;
		date.day = tm.tm_mday;
		wrong += date_seconds(&date) != day * 86400
		    || !date_is_there(&date);
		date.day++;
		wrong += date_is_there(&date)
		    != (gmtime_r(&(time_t) { at + 86400 }, &tm) != NULL
		        && tm.tm_mday != 1);
	}
	is_int(wrong, 0, "days are those of gmtime(3)");
}
