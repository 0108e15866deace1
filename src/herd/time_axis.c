/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "herd/time_axis.h"

/* The end of TRIAL, or a while after the outage; and 0 is no time at all. */
static int64_t
shown_until(const struct scenario *trial, const struct herd *herd)
{
	double until_ns = trial->figures.end_ns;
	double outage_ns = (double)herd->service.down_ns;

	if (until_ns < 1.25 * outage_ns)
		until_ns = 1.25 * outage_ns;
	if (until_ns < (double)NS_PER_S / 10)
		until_ns = (double)NS_PER_S / 10;
	return until_ns < (double)LONGEST_NS ? (int64_t)until_ns : LONGEST_NS;
}

struct time_axis
time_axis_of(
    const struct scenario *trial, const struct herd *herd, int64_t most)
{
	/* That divide a minute, an hour or a day. */
	static const int seconds[] = { 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60,
		120, 180, 300, 360, 600, 720, 900, 1200, 1800, 3600, 7200,
		10800, 14400, 21600, 43200, 86400 };
	int64_t until_ns = shown_until(trial, herd);
	struct time_axis axis = { .column_ns = trial->histogram.bucket_ns };

	if (until_ns >= 20 * NS_PER_S)
		for (size_t i = 0; i < ARRAY_LENGTH(seconds)
		     && until_ns / axis.column_ns >= most;
		     i++)
			if (seconds[i] * NS_PER_S > axis.column_ns)
				axis.column_ns = seconds[i] * NS_PER_S;
	while (until_ns / axis.column_ns >= most)
		axis.column_ns *= 2;
	axis.columns = until_ns / axis.column_ns + 1;
	return axis;
}

void
time_axis_column(const struct time_axis *axis, struct text *text)
{
	if (axis->column_ns >= NS_PER_S)
		duration_text(text, axis->column_ns);
	else
		text_join(text, "1/", NUMBER(NS_PER_S / axis->column_ns), " s");
}

int64_t
time_axis_end(const struct time_axis *axis)
{
	return axis->columns * axis->column_ns;
}

int64_t
time_axis_fill(const struct time_axis *axis, const struct histogram *histogram,
    int64_t *values)
{
	int64_t most = 0;

	histogram_columns(
	    histogram, time_axis_end(axis), values, (size_t)axis->columns);
	for (int64_t i = 1; i < axis->columns; i++)
		most = max_ns(most, values[i]);
	return most;
}

double
time_axis_rate(
    const struct time_axis *axis, const struct scenario *trial, int64_t value)
{
	double seconds
	    = (double)axis->column_ns / (double)NS_PER_S * (double)trial->runs;

	return (double)value / seconds;
}
