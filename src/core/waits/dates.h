/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_DATES_H
#define BACKOFF_CORE_WAITS_DATES_H
/*
 * Dates and times of day as text, in English, whatever the locale is. The
 * calendar is the Gregorian one, also before it was introduced.
 */

#include <stdbool.h>
#include <stdint.h>

struct date {
	int64_t year; /* 0: none was written */
	int month; /* 1..12; 0: it is a time of day alone */
	int day; /* 1..31 */
	int second; /* of the day; a leap second belongs to the next minute */
};

/* Whether its month has that day. */
bool date_is_there(const struct date *date);

/*
 * The seconds from 1970 to DATE, as if in UTC. A day that its month does not
 * have is one of the next month, as for timegm(3).
 */
int64_t date_seconds(const struct date *date);

/*
 * Reads the date, or the time of day, that TEXT begins with, without its zone.
 * Decimals of a second are rounded up, so that nobody comes too early. Returns
 * the rest of TEXT, or NULL; *BROKEN tells that it begins like a date.
 */
const char *date_scan(const char *text, struct date *date, bool *broken);

/* "HH:MM" or "HH:MM:SS", and nothing else, as a second of the day, or -1. */
int time_of_day_parse(const char *text);

#endif
