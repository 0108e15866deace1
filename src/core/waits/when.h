/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_WHEN_H
#define BACKOFF_CORE_WAITS_WHEN_H
/*
 * WHEN: a duration or a moment, as people, headers and JSON write it. It is
 * read without a clock: what needs a time zone is left as it was written. Dates
 * are in English, whatever the locale is, and of the Gregorian calendar, also
 * before it was introduced.
 */

#include <stdbool.h>
#include <stdint.h>

struct date {
	int64_t year; /* 0: none was written */
	int month; /* 1..12; 0: it is a time of day alone */
	int day; /* 1..31 */
	int second; /* of the day; a leap second belongs to the next minute */
};

enum when_kind {
	WHEN_DURATION, /* NS from now on */
	WHEN_EPOCH, /* NS since 1970 */
	WHEN_DATE, /* DATE in ZONE */
	WHEN_DAY, /* likewise, of the year that fits */
	WHEN_TIME, /* likewise, of the day that fits */
};

enum when_zone {
	ZONE_LOCAL,
	ZONE_OFFSET, /* so many seconds east of Greenwich */
	ZONE_NAMED,
};

#define WHEN_ZONE_SIZE 64

struct when {
	enum when_kind kind;
	bool is_number; /* it is a number alone, without a unit */
	int64_t ns;
	struct date date;
	enum when_zone zone;
	int offset_s;
	char zone_name[WHEN_ZONE_SIZE]; /* of safe characters: see when.c */
};

/*
 * Reads the longest WHEN that TEXT begins with. Returns the rest of TEXT, or
 * NULL if there is none, or if it is the beginning of a longer token that
 * cannot be read, such as 25:99.
 */
const char *when_scan(const char *text, struct when *when);

/*
 * Reads H:MM, H:MM:SS, or M:SS if nothing says that it is hours, as a
 * duration. NULL: it is none, or a time of day by what follows it.
 */
const char *when_clock(const char *text, struct when *when);

/* Reads TEXT, all of which must be one WHEN, but for blanks around it. */
bool when_parse(const char *text, struct when *when);

/*
 * Reads a NUMBER of units, NS_PER_S or NS_PER_MS: from 1,000,000,000 seconds
 * on it is a moment.
 */
const char *when_number(const char *text, int64_t unit_ns, struct when *when);

/* Whether its month has that day. */
bool date_is_there(const struct date *date);

/*
 * The seconds from 1970 to DATE, as if in UTC. A day that its month does not
 * have is one of the next month, as for timegm(3).
 */
int64_t date_seconds(const struct date *date);

/* "HH:MM" or "HH:MM:SS", and nothing else, as a second of the day, or -1. */
int time_of_day_parse(const char *text);

#endif
