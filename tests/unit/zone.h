/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_UNIT_ZONE_H
#define BACKOFF_UNIT_ZONE_H
/* A local time zone, and moments of the year 2026. */

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline void
zone(const char *rules)
{
	setenv("TZ", rules, 1);
	tzset();
}

/* 2026-MONTH-DAY at that time in UTC, as seconds since the epoch. */
static inline int64_t
utc(int month, int day, int hour, int minute)
{
	struct tm tm = { .tm_year = 126,
		.tm_mon = month - 1,
		.tm_mday = day,
		.tm_hour = hour,
		.tm_min = minute };

	return timegm(&tm);
}

#endif
