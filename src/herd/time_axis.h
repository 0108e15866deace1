/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_TIME_AXIS_H
#define BACKOFF_HERD_TIME_AXIS_H
/*
 * The time over which the attempts of the trials are shown, in columns of
 * equal width: one axis for all trials.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "herd/scenario.h"
#include "types/herd_options.h"

/* Beyond it there is no arithmetic with times. */
#define LONGEST_NS (INT64_MAX / 4)

struct time_axis {
	int64_t column_ns;
	int64_t columns; /* from 0 on */
};

/*
 * To the end of TRIAL, or a while after the outage, in at most MOST columns.
 * They are whole seconds, so that clients in lockstep, who come once in so
 * many seconds, make no beats with them. Where 20 seconds are all that there
 * is, they are a half, a quarter ... of one.
 */
struct time_axis time_axis_of(
    const struct scenario *trial, const struct herd *herd, int64_t most);

/* "2s", "1/32 s": how wide a column is. */
void time_axis_column(const struct time_axis *axis, struct text *text);

/* Where it ends. */
int64_t time_axis_end(const struct time_axis *axis);

/*
 * The attempts of all runs in each column. Returns the most in one, but for
 * the first, which has the start of all clients in it.
 */
int64_t time_axis_fill(const struct time_axis *axis,
    const struct histogram *histogram, int64_t *values);

/* That many attempts of all runs in a column are so many a second in one. */
double time_axis_rate(
    const struct time_axis *axis, const struct scenario *trial, int64_t value);

#endif
