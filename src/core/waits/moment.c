/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/waits/moment.h"

/* In seconds. */
#define QUARTER (15 * 60)
#define DAY (24 * 60 * 60)

/* A time of day that passed less than this long ago counts as now. */
#define JUST_NOW QUARTER

/* The years of int64_t nanoseconds that a date may have. */
#define FIRST_YEAR 1971
#define LAST_YEAR 2261

/* A leap day is at most so many years away: 2096, 2104. */
#define LEAP_YEARS 8

static bool
offset_at(const struct zone *zone, int64_t at_s, int64_t *offset_s)
{
	if (zone->offset_at != NULL)
		return zone->offset_at(at_s, offset_s);
	*offset_s = zone->offset_s;
	return true;
}

/* The first second after FROM_S, and up to TO_S, with another offset. */
static int64_t
change_between(
    const struct zone *zone, int64_t from_s, int64_t to_s, int64_t offset_s)
{
	int64_t there;

	while (to_s - from_s > 1) {
		int64_t middle_s = from_s + (to_s - from_s) / 2;

		if (offset_at(zone, middle_s, &there) && there == offset_s)
			from_s = middle_s;
		else
			to_s = middle_s;
	}
	return to_s;
}

/*
 * The first moment from AT_S on at which a clock shows SHOWN_S, counted like
 * the seconds of UTC, or goes forward over it; with DAILY, that second of any
 * day. Goes from one quarter of an hour to the next, as clocks change once in
 * it at the most. mktime(3) is no help: for a time that is skipped or comes
 * twice, its result differs between libcs.
 */
static bool
first_shown(const struct zone *zone, int64_t at_s, int64_t shown_s, bool daily,
    int64_t *moment_s)
{
	int64_t offset_s, next_offset_s;

	if (!offset_at(zone, at_s, &offset_s))
		return false;
	for (;; offset_s = next_offset_s) {
		int64_t next_s = (at_s / QUARTER + 1) * QUARTER, skipped_s;
		int64_t ahead_s = shown_s - (at_s + offset_s);

		if (daily)
			ahead_s = (ahead_s % DAY + DAY) % DAY;
		if (!offset_at(zone, next_s, &next_offset_s))
			return false;
		if (next_offset_s != offset_s)
			next_s = change_between(zone, at_s, next_s, offset_s);
		if (ahead_s < next_s - at_s) {
			*moment_s = at_s + ahead_s;
			return true;
		}
		/* Where a whole day is skipped, a time of day is not. */
		skipped_s = next_offset_s - offset_s;
		if (daily)
			skipped_s %= DAY;
		if (ahead_s - (next_s - at_s) < skipped_s) {
			*moment_s = next_s;
			return true;
		}
		at_s = next_s;
	}
}

bool
moment_of_second(
    int second, int64_t from_s, const struct zone *zone, int64_t *moment_s)
{
	return first_shown(zone, from_s, second, true, moment_s);
}

static bool
moment_of_date(
    const struct date *date, const struct zone *zone, int64_t *moment_s)
{
	int64_t shown_s = date_seconds(date);

	if (date->year < FIRST_YEAR) {
		*moment_s = 0;
		return true;
	}
	if (date->year > LAST_YEAR) {
		*moment_s = INT64_MAX / NS_PER_S;
		return true;
	}
	/* No clock is further ahead of UTC, or behind it. */
	return first_shown(
	    zone, shown_s - 26 * 60 * 60, shown_s, false, moment_s);
}

/* The first such date of any year that is at FROM_S or later. */
static bool
moment_of_day(const struct date *day, int64_t from_s, const struct zone *zone,
    int64_t *moment_s)
{
	struct date date = *day, new_year = { .month = 1, .day = 1 };
	int64_t offset_s;

	if (!offset_at(zone, from_s, &offset_s))
		return false;
	new_year.year = 1970 + (from_s + offset_s) / (366 * DAY) + 1;
	while (date_seconds(&new_year) <= from_s + offset_s)
		new_year.year++;
	for (int i = 0; i <= LEAP_YEARS; i++) {
		date.year = new_year.year - 1 + i;
		if (date_is_there(&date)
		    && moment_of_date(&date, zone, moment_s)
		    && *moment_s >= from_s)
			return true;
	}
	return false;
}

bool
moment_of(const struct when *when, int64_t epoch_ns, const struct zone *zone,
    int64_t *moment_ns)
{
	int64_t now_s = epoch_ns / NS_PER_S, moment_s;
	/* Nobody has a clock that is before 1970. */
	int64_t from_s = now_s < 2 * JUST_NOW ? 0 : now_s - JUST_NOW;
	bool is_there = false;

	switch (when->kind) {
	case WHEN_DURATION:
		*moment_ns = saturating_add(epoch_ns, when->ns);
		return true;
	case WHEN_EPOCH:
		*moment_ns = max_ns(when->ns, epoch_ns);
		return true;
	case WHEN_DATE:
		is_there = moment_of_date(&when->date, zone, &moment_s);
		break;
	case WHEN_DAY:
		is_there = moment_of_day(&when->date, from_s, zone, &moment_s);
		break;
	case WHEN_TIME:
		is_there = moment_of_second(
		    when->date.second, from_s, zone, &moment_s);
		break;
	}
	if (!is_there)
		return false;
	*moment_ns = max_ns(saturating_multiply(moment_s, NS_PER_S), epoch_ns);
	return true;
}
