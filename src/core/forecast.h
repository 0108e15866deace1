/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_FORECAST_H
#define BACKOFF_CORE_FORECAST_H
/*
 * What the loop will do if all attempts fail and take no time: pause after
 * pause, over all that may be drawn. What has no simple formula is the mean
 * of many histories, which next_pause() makes as it does for the loop.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/random.h"
#include "core/schedule.h"
#include "core/settings.h"

/* One pause. What is impossibly far away is DURATION_INF. */
struct forecast_row {
	int64_t after_attempt;
	struct range pause; /* the shortest and the longest that may be drawn */
	int64_t mean_ns;
	/* When the next attempt starts, counted from our own start. */
	int64_t earliest_ns;
	int64_t mean_total_ns;
	int64_t latest_ns;
	bool certain; /* no history seen ends before it */
};

/* Outages, whose chances to be outlasted are asked for. */
#define MOST_OUTAGES 16
struct outages {
	int64_t ns[MOST_OUTAGES];
	size_t count;
};

/* What may happen. */
struct history {
	struct schedule schedule;
	int64_t elapsed_ns; /* start of its last attempt */
	bool ended;
};

struct forecast {
	const struct settings *settings;
	int64_t until_in_ns; /* from our start; INT64_MAX: never */
	int64_t horizon_ns; /* what is later than that is not asked for */
	struct history *histories;
	size_t count;
	int64_t draws; /* made for them so far */
	struct schedule lowest, highest; /* draw the least, the most */
	struct forecast_row row; /* the last one */
	bool touched; /* some histories by a deadline: no formula holds */
};

/*
 * Starts it with COUNT > 0 histories, which stay the caller's. Their draws
 * come from RANDOM. UNTIL_IN_NS > 0 is the time to --until, INT64_MAX where
 * it was not given. Set the horizon to the longest outage that
 * forecast_outlasts() will be asked for.
 */
struct forecast forecast_start(const struct settings *settings,
    int64_t until_in_ns, struct random *random, struct history *histories,
    size_t count);

/* Whether neither a deadline nor --until limits it. */
bool forecast_is_timeless(const struct forecast *forecast);

/* The next pause into forecast->row. False: no further one. */
bool forecast_next(struct forecast *forecast);

/* Whether no history goes on that has not reached the horizon. */
bool forecast_settled(const struct forecast *forecast);

/*
 * The share of the histories so far that have an attempt at OUTAGE_NS or
 * later.
 */
double forecast_outlasts(const struct forecast *forecast, int64_t outage_ns);

#endif
