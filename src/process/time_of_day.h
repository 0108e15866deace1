/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_TIME_OF_DAY_H
#define BACKOFF_PROCESS_TIME_OF_DAY_H
/*
 * Times of the day as local clocks show them.
 */

#include <stdint.h>

/* In seconds. */
#define QUARTER (15 * 60)
#define DAY (24 * 60 * 60)

/* "HH:MM" or "HH:MM:SS" as a second of the day, or -1. */
int time_of_day_parse(const char *text);

/*
 * The first time after NOW_S, in seconds since the epoch, at which a local
 * clock shows SECOND of the day; if a clock change skips that, the time of the
 * change. -1: there is no local time. Call tzset(3) before.
 */
int64_t time_of_day_next(int64_t now_s, int second);

#endif
