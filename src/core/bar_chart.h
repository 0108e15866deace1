/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BAR_CHART_H
#define BACKOFF_CORE_BAR_CHART_H
/*
 * Bars for a terminal, from character cells. Nothing follows a bar: who
 * wants something beside it fills up what it left.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

struct chart {
	int64_t width; /* in cells, >= 1; for columns one for each */
	int64_t height; /* likewise, of columns only */
	int64_t most; /* the value that fills it; 0: all are 0 */
	bool unicode; /* eighths of a cell in UTF-8, else ASCII */
};

/*
 * Both return how many cells they used, at most the width. A value above 0
 * is seen, if only just.
 */
int64_t chart_bar(struct text *text, const struct chart *chart, int64_t value);

/* From LOW to HIGH >= LOW, blank before; it is seen even where they meet. */
int64_t chart_interval(
    struct text *text, const struct chart *chart, int64_t low, int64_t high);

/* Row 1 (the top) to height of columns that stand for these WIDTH values. */
void chart_row(struct text *text, const struct chart *chart,
    const int64_t *values, int64_t row);

#endif
