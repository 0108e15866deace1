/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_CALENDAR_H
#define BACKOFF_SYSTEM_CALENDAR_H
/*
 * The local time, and the time zones that the system has files of.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/waits/when.h"

/* moment_of() WHEN, in its zone. False: there is no such zone, or time. */
bool calendar_moment(
    const struct when *when, int64_t epoch_ns, int64_t *moment_ns);

/* The first time after EPOCH_NS at which it is SECOND of a local day, or -1. */
int64_t calendar_next(int second, int64_t epoch_ns);

/* Whether the system has a file for that zone. */
bool calendar_has_zone(const char *name);

/*
 * Adds what a local clock shows at MOMENT_NS, with the date unless EPOCH_NS is
 * of the same day: "14:24:53", "2026-11-24 14:24:53". Nothing if there is no
 * such time.
 */
void calendar_text(struct text *text, int64_t moment_ns, int64_t epoch_ns);

#endif
