/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_CALENDAR_H
#define BACKOFF_PROCESS_CALENDAR_H
/*
 * The calendar and the system's time zones: when a WHEN is.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/waits/when.h"

/*
 * The moment of WHEN, in nanoseconds since 1970, if it is EPOCH_NS now: never
 * in the past. A time of day is the next such one, and a date without a year
 * the nearest, but up to 15 minutes ago count as now. Where clocks go forward
 * over it, it is the moment at which they do; where they show it twice, the
 * first one. False: there is no such zone, or no such time.
 */
bool calendar_moment(
    const struct when *when, int64_t epoch_ns, int64_t *moment_ns);

/* Whether the system has a file for that zone. */
bool calendar_has_zone(const char *name);

/*
 * Adds what a local clock shows at MOMENT_NS, with the date unless EPOCH_NS is
 * of the same day: "14:24:53", "2026-11-24 14:24:53". Nothing if there is no
 * such time.
 */
void calendar_text(struct text *text, int64_t moment_ns, int64_t epoch_ns);

#endif
