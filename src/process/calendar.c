/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "process/calendar.h"
#include "process/environment.h"
#include "process/time_of_day.h"
#include "system/system.h"

/* A limit that was lifted so long ago has just been lifted. */
#define JUST_NOW QUARTER

/* The years of int64_t nanoseconds that a date may have. */
#define FIRST_YEAR 1971
#define LAST_YEAR 2261

/* A leap day is at most so many years away: 2096, 2104. */
#define LEAP_YEARS 8

/* Sets PATH to the file of a zone. False: there is none. */
static bool
find_zone(const char *name, char *path, size_t size)
{
	/* glibc and musl, each as it is built by distributions. */
	const char *const directories[] = { getenv("TZDIR"),
		"/usr/share/zoneinfo", "/share/zoneinfo", "/etc/zoneinfo" };
	char magic[4];

	for (size_t i = 0; i < ARRAY_LENGTH(directories); i++) {
		struct text text = text_in(path, size);

		if (directories[i] == NULL || directories[i][0] != '/')
			continue;
		text_join(&text, directories[i], "/", name);
		if (text.length + 1 >= size)
			continue;
		/* Anything else would silently be UTC. */
		if (fd_read_file(path, magic, sizeof magic) == sizeof magic
		    && memcmp(magic, "TZif", sizeof magic) == 0)
			return true;
	}
	return false;
}

bool
calendar_has_zone(const char *name)
{
	char path[PATH_MAX];

	return find_zone(name, path, sizeof path);
}

/* Seconds by which a local clock at AT_S is ahead of UTC. */
static bool
offset_at(int64_t at_s, int64_t *offset_s)
{
	time_t at = (time_t)at_s;
	struct date date;
	struct tm tm;

	if (at != at_s || localtime_r(&at, &tm) == NULL)
		return false;
	date = (struct date) { .year = (int64_t)tm.tm_year + 1900,
		.month = tm.tm_mon + 1,
		.day = tm.tm_mday,
		.second = (tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec };
	*offset_s = date_seconds(&date) - at_s;
	return true;
}

/* The first second after FROM_S, and up to TO_S, with another offset. */
static int64_t
change_between(int64_t from_s, int64_t to_s, int64_t offset_s)
{
	int64_t there;

	while (to_s - from_s > 1) {
		int64_t middle_s = from_s + (to_s - from_s) / 2;

		if (offset_at(middle_s, &there) && there == offset_s)
			from_s = middle_s;
		else
			to_s = middle_s;
	}
	return to_s;
}

/*
 * The first moment at which a local clock shows SHOWN_S, or more, counted like
 * the seconds of UTC. Goes from one quarter of an hour to the next, as clocks
 * change once in it at the most. mktime(3) is no help: for a time that is
 * skipped or comes twice, its result differs between libcs.
 */
static bool
first_shown(int64_t shown_s, int64_t *moment_s)
{
	/* No clock is further ahead of UTC, or behind it. */
	int64_t at_s = shown_s - 26 * 60 * 60, offset_s, next_offset_s;

	if (!offset_at(at_s, &offset_s))
		return false;
	while (at_s + offset_s < shown_s) {
		int64_t next_s = (at_s / QUARTER + 1) * QUARTER;

		if (!offset_at(next_s, &next_offset_s))
			return false;
		if (next_offset_s != offset_s)
			next_s = change_between(at_s, next_s, offset_s);
		if (shown_s - offset_s < next_s) {
			*moment_s = shown_s - offset_s;
			return true;
		}
		at_s = next_s;
		if (!offset_at(at_s, &offset_s))
			return false;
	}
	*moment_s = at_s;
	return true;
}

/* The local zone, or that of an offset, which needs no file. */
static bool
moment_of_date(
    const struct when *when, const struct date *date, int64_t *moment_s)
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
	if (when->zone != ZONE_OFFSET)
		return first_shown(shown_s, moment_s);
	*moment_s = shown_s - when->offset_s;
	return true;
}

/* The year that it is there at NOW_S. */
static bool
year_at(const struct when *when, int64_t now_s, int64_t *year)
{
	time_t now = (time_t)now_s;
	struct tm tm;

	if (when->zone == ZONE_OFFSET) {
		now += when->offset_s;
		if (gmtime_r(&now, &tm) == NULL)
			return false;
	} else if (localtime_r(&now, &tm) == NULL) {
		return false;
	}
	*year = (int64_t)tm.tm_year + 1900;
	return true;
}

/* The first such date of any year that is at FROM_S or later. */
static bool
moment_of_day(const struct when *when, int64_t from_s, int64_t *moment_s)
{
	struct date date = when->date;

	if (!year_at(when, from_s, &date.year))
		return false;
	for (int i = 0; i <= LEAP_YEARS; i++, date.year++)
		if (date_is_there(&date)
		    && moment_of_date(when, &date, moment_s)
		    && *moment_s >= from_s)
			return true;
	return false;
}

/* The first such time of day at FROM_S or later. */
static bool
moment_of_time(const struct when *when, int64_t from_s, int64_t *moment_s)
{
	int64_t shown_s;

	if (when->zone != ZONE_OFFSET) {
		*moment_s
		    = time_of_day_next(from_s - 1, when->date.second % DAY);
		return *moment_s >= 0;
	}
	shown_s = from_s + when->offset_s;
	shown_s += (when->date.second - shown_s % DAY + 2 * DAY) % DAY;
	*moment_s = shown_s - when->offset_s;
	return true;
}

/* In the zone that tzset(3) has been told. */
static bool
moment_here(const struct when *when, int64_t now_s, int64_t *moment_s)
{
	/* Nobody has a clock that is before 1970. */
	int64_t from_s = now_s < 2 * JUST_NOW ? 0 : now_s - JUST_NOW;

	switch (when->kind) {
	case WHEN_DATE:
		return moment_of_date(when, &when->date, moment_s);
	case WHEN_DAY:
		return moment_of_day(when, from_s, moment_s);
	case WHEN_TIME:
		return moment_of_time(when, from_s, moment_s);
	case WHEN_DURATION:
	case WHEN_EPOCH:
		break;
	}
	return false;
}

/*
 * The same in a zone of the system's files. An environment with nothing but
 * TZ takes the place of ours meanwhile: so nothing has to be allocated, and
 * nothing is left of it.
 */
static bool
moment_in_zone(const struct when *when, int64_t now_s, int64_t *moment_s)
{
	char setting[PATH_MAX] = "TZ=";
	char *only[] = { setting, NULL };
	char **ours = environ;
	bool is_there;

	if (!find_zone(when->zone_name, setting + 3, sizeof setting - 3))
		return false;
	environ = only;
	tzset();
	is_there = moment_here(when, now_s, moment_s);
	environ = ours;
	tzset();
	return is_there;
}

bool
calendar_moment(const struct when *when, int64_t epoch_ns, int64_t *moment_ns)
{
	int64_t now_s = epoch_ns / NS_PER_S, moment_s;

	if (when->kind == WHEN_DURATION) {
		*moment_ns = saturating_add(epoch_ns, when->ns);
		return true;
	}
	if (when->kind == WHEN_EPOCH) {
		*moment_ns = max_ns(when->ns, epoch_ns);
		return true;
	}
	tzset();
	if (when->zone == ZONE_NAMED ? !moment_in_zone(when, now_s, &moment_s)
	                             : !moment_here(when, now_s, &moment_s))
		return false;
	*moment_ns = max_ns(saturating_multiply(moment_s, NS_PER_S), epoch_ns);
	return true;
}

void
calendar_text(struct text *text, int64_t moment_ns, int64_t epoch_ns)
{
	/* What is not a whole second is over when the next one has begun. */
	time_t moment = (time_t)((moment_ns - 1) / NS_PER_S + 1);
	time_t now = (time_t)(epoch_ns / NS_PER_S);
	struct tm then, today;

	tzset();
	if (localtime_r(&moment, &then) == NULL
	    || localtime_r(&now, &today) == NULL)
		return;
	if (then.tm_year != today.tm_year || then.tm_yday != today.tm_yday) {
		text_date(text, &then);
		text_byte(text, ' ');
	}
	text_clock(text, &then);
}
