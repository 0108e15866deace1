/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_WHEN_H
#define BACKOFF_CORE_WAITS_WHEN_H
/*
 * WHEN: a duration or a moment, as people, headers and JSON write it. It is
 * read without a clock: what needs a calendar or a time zone is left as it
 * was written.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/waits/dates.h"

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

#endif
