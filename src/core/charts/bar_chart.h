/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_BAR_CHART_H
#define BACKOFF_CORE_CHARTS_BAR_CHART_H
/*
 * Bars for a terminal, made of character cells. They are not padded: to put
 * something to the right of a bar, add the blanks yourself.
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
 * Both return the number of cells used, at most the width. A value above 0
 * is always visible.
 */
int64_t chart_bar(struct text *text, const struct chart *chart, int64_t value);

/* A bar from LOW to HIGH >= LOW; it is visible even if they are equal. */
int64_t chart_interval(
    struct text *text, const struct chart *chart, int64_t low, int64_t high);

/* One ROW, 1 (the top) to height, of columns for WIDTH values. */
void chart_row(struct text *text, const struct chart *chart,
    const int64_t *values, int64_t row);

#endif
