/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_MOMENT_H
#define BACKOFF_CORE_WAITS_MOMENT_H
/*
 * When a WHEN is, by the clocks of a zone. Moments are seconds or nanoseconds
 * since 1970, in UTC.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/waits/when.h"

struct zone {
	/*
	 * Sets by how many seconds clocks are ahead of UTC at AT_S. False:
	 * nobody knows. NULL: by OFFSET_S, always.
	 */
	bool (*offset_at)(int64_t at_s, int64_t *offset_s);
	int64_t offset_s;
};

/*
 * The moment of WHEN in ZONE, if it is EPOCH_NS now: never in the past. A time
 * of day is the next such one, and a date without a year the nearest, but up to
 * 15 minutes ago count as now. Where clocks go forward over it, it is the
 * moment at which they do; where they show it twice, the first one. False:
 * there is no such time.
 */
bool moment_of(const struct when *when, int64_t epoch_ns,
    const struct zone *zone, int64_t *moment_ns);

/*
 * The first moment from FROM_S on at which clocks show SECOND of a day, or go
 * forward over it. False: there is none.
 */
bool moment_of_second(
    int second, int64_t from_s, const struct zone *zone, int64_t *moment_s);

#endif
