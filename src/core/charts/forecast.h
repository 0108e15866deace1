/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_FORECAST_H
#define BACKOFF_CORE_CHARTS_FORECAST_H
/*
 * Forecasts the pauses of a run whose attempts all fail and take no time: the
 * range and the mean of each. If there is no formula for a mean, it is that of
 * many histories: simulated runs that call next_pause() as the loop does.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "core/pause/schedule.h"

/* One pause. A time beyond all limits is DURATION_INF. */
struct forecast_row {
	int64_t after_attempt;
	struct range pause; /* the shortest and the longest that can be drawn */
	int64_t mean_ns;
	/* When the next attempt starts, counted from the start of the loop. */
	int64_t earliest_ns;
	int64_t mean_total_ns;
	int64_t latest_ns;
	bool certain; /* every history gets this far */
};

/* One simulated run. */
struct history {
	struct schedule schedule;
	int64_t elapsed_ns; /* start of its last attempt */
	bool ended;
};

struct forecast {
	const struct settings *settings;
	int64_t until_in_ns; /* from the start to --until; INT64_MAX: none */
	struct history *histories;
	size_t count;
	int64_t draws; /* how many the histories have made so far */
	struct schedule lowest, highest; /* always draw the least, the most */
	struct forecast_row row; /* the current one */
	bool touched; /* a deadline may cut pauses, so no formula holds */
};

/*
 * Starts it with COUNT > 0 histories, whose memory the caller owns. They draw
 * from RANDOM. UNTIL_IN_NS > 0 is the time to --until, or INT64_MAX if that
 * was not given.
 */
struct forecast forecast_start(const struct settings *settings,
    int64_t until_in_ns, struct random *random, struct history *histories,
    size_t count);

/* Computes the next pause into forecast->row. False: there is none. */
bool forecast_next(struct forecast *forecast);

/*
 * The share of the histories that have had an attempt at OUTAGE_NS or later
 * by now.
 */
double forecast_outlasts(const struct forecast *forecast, int64_t outage_ns);

#endif
