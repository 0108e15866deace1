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
	int64_t year;
	int month; /* 1..12 */
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
 * Reads what FORMAT says, as strptime(3) does, with %a %b %d %Y %y %H %M %S.
 * Returns the rest of TEXT, or NULL.
 */
const char *date_match(const char *text, const char *format, struct date *date);

/* One of the three forms of HTTP (RFC 9110, 5.6.7) without its "GMT". */
const char *date_http(const char *text, struct date *date);

/* "2023-08-04T12:00:00" or "2025-03-05 07:21"; decimals are cut off. */
const char *date_iso(const char *text, struct date *date);

/*
 * "Nov 25" or "25 Nov", without the comma or the "at" in front of a time of
 * day that may follow; only the month and the day are set.
 */
const char *date_of_year(const char *text, struct date *date);

/* "3pm", "3:20am", "15:04" or "15:04:05"; only the second is set. */
const char *date_time(const char *text, struct date *date);

/* The rest of TEXT after blanks. */
const char *skip_blanks(const char *text);

/*
 * The rest of TEXT if it begins with WORD, in any case, and no letter, digit
 * or underscore follows; NULL otherwise.
 */
const char *skip_word(const char *text, const char *word);

#endif
