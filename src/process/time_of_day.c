/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <time.h>

#include "core/base/array.h"
#include "process/time_of_day.h"

int
time_of_day_parse(const char *text)
{
	static const int limits[] = { 24, 60, 60 };
	int second = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(limits); i++, text += 3) {
		int number;

		if (text[0] < '0' || text[0] > '9' || text[1] < '0'
		    || text[1] > '9')
			return -1;
		number = (text[0] - '0') * 10 + (text[1] - '0');
		if (number >= limits[i])
			return -1;
		second = second * 60 + number;
		if (text[2] == '\0')
			return i == 0 ? -1 : i == 1 ? second * 60 : second;
		if (text[2] != ':')
			return -1;
	}
	return -1;
}

/* The second of the day that a local clock shows at AT_S, or -1. */
static int
shown_at(int64_t at_s)
{
	time_t at = (time_t)at_s;
	struct tm tm;

	if (localtime_r(&at, &tm) == NULL)
		return -1;
	return (tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec;
}

/* The time forward from one second of the day to another. */
static int
seconds_between(int from, int to)
{
	return (to - from + DAY) % DAY;
}

/*
 * Goes from one quarter of an hour to the next, because clocks change at the
 * start of one. mktime(3) is no help: for a time that is skipped or comes
 * twice, its result differs between libcs.
 */
int64_t
time_of_day_next(int64_t now_s, int second)
{
	int64_t at = now_s + 1;
	int shown = shown_at(at);

	/* A day has 96 quarters, and 100 when clocks go back. */
	for (int i = 0; i < 128 && shown >= 0; i++) {
		int64_t next = (at / QUARTER + 1) * QUARTER;
		int length = (int)(next - at);
		int ahead = seconds_between(shown, second);
		int expected = (shown + length) % DAY;
		int skipped;

		if (ahead < length)
			return at + ahead;
		shown = shown_at(next);
		skipped = seconds_between(expected, shown);
		/* More than half a day forward means backward. */
		if (shown >= 0 && skipped < DAY / 2 && ahead - length < skipped)
			return next;
		at = next;
	}
	return -1;
}
