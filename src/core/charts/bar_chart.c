/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/charts/bar_chart.h"

/* Blocks come in eighths of a cell. */
#define PARTS 8

/* U+258F down to U+2588: the left eighth of a cell up to all of it. */
static const char left[PARTS + 1][4]
    = { u8" ", u8"▏", u8"▎", u8"▍", u8"▌", u8"▋", u8"▊", u8"▉", u8"█" };
/* U+2581 to U+2588, from the lower eighth of a cell up to all of it. */
static const char lower[PARTS + 1][4]
    = { u8" ", u8"▁", u8"▂", u8"▃", u8"▄", u8"▅", u8"▆", u8"▇", u8"█" };
static const char right_half[] = u8"▐";
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

/* The same, but at least 1 for a value above 0. */
static int64_t
scale_seen(const struct chart *chart, int64_t value, int64_t count)
{
	int64_t scaled = scale(chart, value, count);

	return scaled == 0 && value > 0 ? 1 : scaled;
}

static void
repeat(struct text *text, const char *cell, int64_t count)
{
	for (; count > 0; count--)
		text_add(text, cell);
}

int64_t
chart_bar(struct text *text, const struct chart *chart, int64_t value)
{
	int64_t parts;

	if (!chart->unicode) {
		parts = scale_seen(chart, value, chart->width);
		repeat(text, "#", parts);
		return parts;
	}
	parts = scale_seen(chart, value, chart->width * PARTS);
	repeat(text, left[PARTS], parts / PARTS);
	if (parts % PARTS > 0)
		text_add(text, left[parts % PARTS]);
	return (parts + PARTS - 1) / PARTS;
}

/*
 * There are characters that end at any eighth of a cell, but the only one
 * that begins inside a cell begins at its middle. So a bar ends at an eighth,
 * and begins at a half.
 */
static int64_t
interval_in_blocks(
    struct text *text, const struct chart *chart, int64_t low, int64_t high)
{
	int64_t start = scale(chart, low, chart->width * 2);
	int64_t end = scale(chart, high, chart->width * PARTS);

	if (start == chart->width * 2)
		start--;
	if (end <= start * PARTS / 2)
		end = start * PARTS / 2 + 1;
	repeat(text, " ", start / 2);
	if (start % 2 == 1)
		text_add(text, right_half);
	start = (start + 1) / 2;
	repeat(text, left[PARTS], end / PARTS - start);
	if (end / PARTS >= start && end % PARTS > 0)
		text_add(text, left[end % PARTS]);
	return (end + PARTS - 1) / PARTS;
}

int64_t
chart_interval(
    struct text *text, const struct chart *chart, int64_t low, int64_t high)
{
	int64_t start, end;

	if (chart->unicode)
		return interval_in_blocks(text, chart, low, high);
	start = scale(chart, low, chart->width);
	end = scale(chart, high, chart->width);
	if (start == chart->width)
		start--;
	if (end <= start)
		end = start + 1;
	repeat(text, " ", start);
	repeat(text, "#", end - start);
	return end;
}

void
chart_row(struct text *text, const struct chart *chart, const int64_t *values,
    int64_t row)
{
	int64_t below = (chart->height - row) * PARTS;
	int64_t blanks = 0;

	for (int64_t i = 0; i < chart->width; i++) {
		int64_t parts
		    = scale_seen(chart, values[i], chart->height * PARTS)
		    - below;

		if (parts <= 0) {
			blanks++;
			continue;
		}
		if (parts > PARTS)
			parts = PARTS;
		repeat(text, " ", blanks);
		text_add(text, chart->unicode ? lower[parts] : ink[parts]);
		blanks = 0;
	}
}
