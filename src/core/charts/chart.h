/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_CHART_H
#define BACKOFF_CORE_CHARTS_CHART_H
/*
 * What charts in a terminal are made of: bars of character cells, and a
 * histogram over time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

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

/* One ROW, 1 (the top) to height, of columns for WIDTH values. */
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
 * Converts the buckets to COUNT columns of equal width from 0 to UNTIL_NS > 0,
 * as if the events of a bucket were spread evenly over it. Only events after
 * UNTIL_NS are left out.
 */
void histogram_columns(const struct histogram *histogram, int64_t until_ns,
    int64_t *columns, size_t count);

#endif
