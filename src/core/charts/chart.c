/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/charts/charts.h"

/* Blocks come in eighths of a cell. */
#define PARTS 8

/* U+258F down to U+2588: the left eighth of a cell up to all of it. */
static const char left[PARTS + 1][4]
    = { u8" ", u8"▏", u8"▎", u8"▍", u8"▌", u8"▋", u8"▊", u8"▉", u8"█" };
/* U+2581 to U+2588, from the lower eighth of a cell up to all of it. */
static const char lower[PARTS + 1][4]
    = { u8" ", u8"▁", u8"▂", u8"▃", u8"▄", u8"▅", u8"▆", u8"▇", u8"█" };
/* ASCII characters with more and more ink, in place of the eighths. */
static const char ink[PARTS + 1][2]
    = { " ", ".", ".", ":", "-", "=", "+", "*", "#" };

/* VALUE scaled from 0..most to 0..COUNT, rounded to the nearest. */
static int64_t
scale(const struct chart *chart, int64_t value, int64_t count)
{
	if (value <= 0)
		return 0;
	if (value >= chart->most)
		return count;
	return (
	    int64_t)((double)value / (double)chart->most * (double)count + 0.5);
}

static void
repeat(struct text *text, const char *cell, int64_t count)
{
	for (; count > 0; count--)
		text_add(text, cell);
}

void
chart_bar(
    struct text *text, const struct chart *chart, int64_t low, int64_t high)
{
	int64_t parts = chart->unicode ? PARTS : 1; /* of a cell, at the end */
	int64_t start
	    = min_ns(scale(chart, low, chart->width), chart->width - 1);
	int64_t end = max_ns(
	    scale(chart, high, chart->width * parts), start * parts + 1);

	if (high <= 0)
		return;
	repeat(text, " ", start);
	repeat(text, chart->unicode ? left[PARTS] : "#", end / parts - start);
	if (end % parts > 0)
		text_add(text, left[end % parts]);
}

void
chart_row(struct text *text, const struct chart *chart, const int64_t *values,
    int64_t row)
{
	int64_t below = (chart->height - row) * PARTS;

	for (int64_t i = 0; i < chart->width; i++) {
		int64_t parts = scale(chart, values[i], chart->height * PARTS);

		/* What is above 0 is seen. */
		parts = max_ns(parts, values[i] > 0) - below;
		parts = min_ns(max_ns(parts, 0), PARTS);
		text_add(text, chart->unicode ? lower[parts] : ink[parts]);
	}
	while (text->length > 0 && text->data[text->length - 1] == ' ')
		text->data[--text->length] = '\0';
}

struct histogram
histogram_in(int64_t *counts, size_t buckets, int64_t bucket_ns)
{
	for (size_t i = 0; i < buckets; i++)
		counts[i] = 0;
	return (struct histogram) {
		.counts = counts,
		.buckets = buckets,
		.bucket_ns = bucket_ns,
		.latest_ns = -1,
	};
}

/* Makes each bucket twice as wide, so that all cover twice the time. */
static void
widen(struct histogram *histogram)
{
	int64_t *counts = histogram->counts;

	for (size_t i = 0; i < histogram->buckets; i++)
		counts[i] = i < histogram->buckets / 2
		    ? counts[2 * i] + counts[2 * i + 1]
		    : 0;
	histogram->bucket_ns *= 2;
}

void
histogram_add(struct histogram *histogram, int64_t at_ns)
{
	while (at_ns / histogram->bucket_ns >= (int64_t)histogram->buckets)
		widen(histogram);
	histogram->counts[at_ns / histogram->bucket_ns]++;
	if (at_ns > histogram->latest_ns)
		histogram->latest_ns = at_ns;
}

void
histogram_columns(const struct histogram *histogram, int64_t column_ns,
    int64_t *columns, size_t count)
{
	int64_t so_far = 0; /* events in the buckets read so far */
	int64_t given = 0; /* events in the columns filled so far */
	size_t bucket = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t end_ns = column_ns * (int64_t)(i + 1);
		int64_t share = 0;

		while (bucket < histogram->buckets
		    && end_ns / histogram->bucket_ns > (int64_t)bucket)
			so_far += histogram->counts[bucket++];
		if (bucket < histogram->buckets)
			share = (int64_t)((double)histogram->counts[bucket]
			    * ((double)(end_ns % histogram->bucket_ns)
			        / (double)histogram->bucket_ns));
		columns[i] = so_far + share - given;
		given += columns[i];
	}
}
