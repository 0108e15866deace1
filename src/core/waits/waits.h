/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_WAITS_H
#define BACKOFF_CORE_WAITS_WAITS_H
/*
 * Waits that lines of output state: in headers, in JSON, in sentences, and
 * where a REGEX points at. Before that: WHEN, a duration or a moment, as people
 * write it, and when that is.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/judge/outcome.h"

/* --- a WHEN --- */

/* Of the Gregorian calendar, also before it was introduced. */
struct date {
	int year; /* 0: none was written, so the one that fits */
	int month; /* 1..12; 0: it is a time of day alone, of any day */
	int day; /* 1..31 */
	int second; /* of the day; a leap second belongs to the next minute */
};

enum when_kind {
	WHEN_DURATION, /* NS from now on */
	WHEN_EPOCH, /* NS since 1970 */
	WHEN_DATE, /* DATE in ZONE */
};

enum when_zone {
	ZONE_LOCAL,
	ZONE_OFFSET, /* so many seconds east of Greenwich */
	ZONE_NAMED,
};

#define WHEN_ZONE_SIZE 64

/*
 * It is read without a clock: what needs a time zone is left as it was written.
 * Dates are in English, whatever the locale is.
 */
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

/* "HH:MM" or "HH:MM:SS", and nothing else, as a second of the day, or -1. */
int time_of_day_parse(const char *text);

/* Whether its month has that day. */
bool date_is_there(const struct date *date);

/*
 * The seconds from 1970 to DATE, as if in UTC. A day that its month does not
 * have is one of the next month, as for timegm(3).
 */
int64_t date_seconds(const struct date *date);

/* --- when it is, by the clocks of a zone --- */

struct zone {
	/*
	 * Sets by how many seconds clocks are ahead of UTC at AT_S. False:
	 * nobody knows. NULL: by OFFSET_S, always.
	 */
	bool (*offset_at)(int64_t at_s, int64_t *offset_s);
	int64_t offset_s;
};

/*
 * The moment of WHEN in ZONE, in UTC, if it is EPOCH_NS now: never in the past.
 * A time of day is the next such one, and a date without a year the nearest,
 * but up to 15 minutes ago count as now. Where clocks go forward over it, it is
 * the moment at which they do; where they show it twice, the first one. False:
 * there is no such time.
 */
bool moment_of(const struct when *when, int64_t epoch_ns,
    const struct zone *zone, int64_t *moment_ns);

/*
 * The first moment from AT_S on at which a clock shows SHOWN_S, counted like
 * the seconds of UTC, or goes forward over it; with DAILY, that second of any
 * day. False: there is none.
 */
bool moment_shown(const struct zone *zone, int64_t at_s, int64_t shown_s,
    bool daily, int64_t *moment_s);

/* --- waits in lines --- */

#define WAIT_TEXT 60 /* bytes of a text that cannot be read */
#define WAIT_QUOTAS 8 /* at most so many are told apart */

enum waits_wanted {
	WANTED_NOTHING,
	WANTED_HEADERS, /* --tool for a client of HTTP */
	WANTED_ALL, /* --retry-after */
};

/* The first of them that has a WHEN decides. */
enum wait_source {
	WAIT_HINT, /* a line of BACKOFF_HINT */
	WAIT_REGEX, /* the user's own REGEX */
	WAIT_HEADER,
	WAIT_KEY,
	WAIT_SENTENCE,
	WAIT_SOURCES
};

/* The last WHEN of a source; or the last text that should have been one. */
struct stated_wait {
	enum stated stated;
	struct when when;
	int64_t line; /* its number, of those that were looked at */
	char text[WAIT_TEXT + 1];
};

struct waits {
	enum waits_wanted wanted;
	bool (*has_zone)(const char *name); /* whether there is such a zone */
	uint32_t first[32], second[32]; /* letters of rows: see waits.c */

	/* What has been found so far: */
	/* In [1], what counts unless something is left of the quota. */
	struct stated_wait found[2][WAIT_SOURCES];
	bool is_left;
	struct quota {
		uint64_t key; /* a hash of "x-ratelimit-", or 0 */
		bool is_used_up, has_reset;
		struct when reset;
	} quotas[WAIT_QUOTAS];
	int64_t lines, delay_ends; /* the last line of a "retry_delay {" */
	const char *line, *end; /* which is looked at */
};

/* Forgets what was found in an earlier attempt. */
void waits_reset(struct waits *waits);

/*
 * Takes LINE, of LENGTH bytes and then a NUL, into account; removes escape
 * sequences of terminals from it.
 */
void waits_look(struct waits *waits, char *line, size_t length);

/* Takes the TEXT into account that a source points at. */
void waits_point(
    struct waits *waits, enum wait_source source, const char *text);

/*
 * What SOURCE says. The decisive one is the first that is STATED_READ; call
 * it when all lines have been looked at.
 */
const struct stated_wait *waits_of(
    const struct waits *waits, enum wait_source source);

#endif
