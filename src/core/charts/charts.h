/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_CHARTS_H
#define BACKOFF_CORE_CHARTS_CHARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"

/*
 * --- chart.c: what charts in a terminal are made of: bars of character cells,
 * and a histogram over time ---
 */

struct chart {
	int64_t width; /* in cells, >= 1; in chart_row(), one per value */
	int64_t height; /* in cells, >= 1; only for chart_row() */
	int64_t most; /* the value of a full bar; 0: all values are 0 */
	bool unicode; /* draw eighths of a cell in UTF-8, else ASCII */
};

/*
 * A bar from LOW to HIGH >= LOW, without blanks behind it. It is visible even
 * if they are equal, unless HIGH is 0.
 */
void chart_bar(
    struct text *text, const struct chart *chart, int64_t low, int64_t high);

/*
 * One ROW, 1 (the top) to height, of columns for WIDTH values, without blanks
 * at the end of TEXT.
 */
void chart_row(struct text *text, const struct chart *chart,
    const int64_t *values, int64_t row);

/* Counts events over a time whose end is not known in advance. */
struct histogram {
	int64_t *counts; /* the caller owns the memory */
	size_t buckets;
	int64_t bucket_ns; /* doubles when the buckets are used up */
	int64_t latest_ns; /* time of the latest event, or -1 */
};

/* Starts with BUCKETS buckets, an even number, of BUCKET_NS > 0 each. */
struct histogram histogram_in(
    int64_t *counts, size_t buckets, int64_t bucket_ns);

/* Counts one event at AT_NS >= 0. */
void histogram_add(struct histogram *histogram, int64_t at_ns);

/*
 * Converts the buckets to COUNT columns of COLUMN_NS > 0 each, from 0 on, as if
 * the events of a bucket were spread evenly over it.
 */
void histogram_columns(const struct histogram *histogram, int64_t column_ns,
    int64_t *columns, size_t count);

/*
 * --- forecast.c: the pauses of a run whose attempts all fail and take no time:
 * the range and the mean of each. If there is no formula for a mean, it is that
 * of many histories: simulated runs that call next_pause() as the loop does.
 * ---
 */

/* One pause. A time beyond all limits is DURATION_INF. */
struct forecast_row {
	int64_t after_attempt;
	struct range pause; /* the shortest and the longest that can be drawn */
	int64_t mean_ns;
	/* When the next attempt starts, counted from the start of the loop. */
	struct range start;
	int64_t mean_total_ns;
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
