/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/array.h"
#include "core/bar_chart.h"
#include "core/duration.h"
#include "herd/timeline.h"
#include "process/terminal.h"

#define MARGIN 10 /* left of a chart */
#define LEAST_CELLS 20 /* right of it */
#define MOST_CELLS 500
#define LONGEST_NS (INT64_MAX / 4)

/* The time axis: COLUMNS times CELLS character cells from 0 on. */
struct axis {
	int64_t column_ns;
	int64_t columns;
	int64_t cells; /* the width of a column */
	bool unicode;
};

/*
 * Columns are whole seconds wide: clients in lockstep return every so many
 * seconds, and other widths would show waves that are not there. If all is
 * over within 20 seconds, a column is 1/2, 1/4 ... of a second.
 */
static struct axis
make_axis(int64_t until_ns, int64_t bucket_ns, int64_t cells)
{
	/* Divisors of a minute, an hour or a day. */
	static const int seconds[] = { 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60,
		120, 180, 300, 360, 600, 720, 900, 1200, 1800, 3600, 7200,
		10800, 14400, 21600, 43200, 86400 };
	struct axis axis = { .column_ns = bucket_ns };

	if (until_ns >= 20 * NS_PER_S)
		for (size_t i = 0; i < ARRAY_LENGTH(seconds)
		     && until_ns / axis.column_ns >= cells;
		     i++)
			if (seconds[i] * NS_PER_S > axis.column_ns)
				axis.column_ns = seconds[i] * NS_PER_S;
	while (until_ns / axis.column_ns >= cells)
		axis.column_ns *= 2;
	axis.columns = until_ns / axis.column_ns + 1;
	axis.cells = cells / axis.columns;
	return axis;
}

static int64_t
cell_of(const struct axis *axis, int64_t at_ns)
{
	return at_ns / axis->column_ns * axis->cells;
}

/*
 * Sets VALUES to the attempts in each cell. Returns the highest, leaving out
 * the first column, where all clients start.
 */
static int64_t
fill_cells(
    int64_t *values, const struct histogram *histogram, const struct axis *axis)
{
	int64_t most = 0;

	histogram_columns(histogram, axis->columns * axis->column_ns, values,
	    (size_t)axis->columns);
	for (int64_t i = 1; i < axis->columns; i++)
		if (values[i] > most)
			most = values[i];
	for (int64_t i = axis->columns * axis->cells - 1; i >= 0; i--)
		values[i] = values[i / axis->cells];
	return most;
}

static const char *
glyph(const struct axis *axis, const char *unicode, const char *ascii)
{
	return axis->unicode ? unicode : ascii;
}

static void
print_margin(const char *label, const char *line)
{
	printf("%*s %s", MARGIN - 2, label, line);
}

/* RATE is per second; a low one is printed per minute, hour or day. */
static void
rate_text(char *label, size_t size, double rate)
{
	static const struct {
		double times;
		const char *words;
	} units[] = { { 1e-6, "M/s" }, { 1e-3, "k/s" }, { 1, "/s" },
		{ 60, "/min" }, { 3600, "/h" }, { 86400, "/d" } };
	size_t i = rate >= 1e7 ? 0 : rate >= 1e5 ? 1 : 2;

	while (rate > 0 && rate * units[i].times < 0.1
	    && i + 1 < ARRAY_LENGTH(units))
		i++;
	rate *= units[i].times;
	snprintf(label, size, "%.*f%s", rate > 0 && rate < 9.95 ? 1 : 0, rate,
	    units[i].words);
}

static void
print_bars(const struct scenario *scenario, const struct axis *axis, int height)
{
	int64_t values[MOST_CELLS];
	char cells[3 * MOST_CELLS + 1], label[32];
	struct chart chart = {
		.width = axis->columns * axis->cells,
		.height = height,
		.most = fill_cells(values, &scenario->histogram, axis),
		.unicode = axis->unicode,
	};
	double seconds = (double)axis->column_ns / (double)NS_PER_S
	    * (double)scenario->runs;

	rate_text(label, sizeof label, (double)chart.most / seconds);
	for (int row = 1; row <= height; row++) {
		struct text text = text_in(cells, sizeof cells);

		chart_row(&text, &chart, values, row);
		print_margin(row == 1 ? label : "", glyph(axis, "│", "|"));
		puts(cells);
	}
}

static void
print_chart(
    const struct scenario *scenario, const struct axis *axis, int height)
{
	int64_t end_ns = scenario->histogram.latest_ns;

	fputs(scenario->name, stdout);
	if (scenario->no_end != NULL) {
		printf(": %s\n", scenario->no_end);
		return;
	}
	if (end_ns >= axis->columns * axis->column_ns)
		terminal_duration(", goes on until ", end_ns, 0);
	putchar('\n');
	print_bars(scenario, axis, height);
}

/* The smallest step of a usual clock that leaves room for the labels. */
static int64_t
tick_step(const struct axis *axis)
{
	static const int milliseconds[]
	    = { 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 30000,
		      60000, 120000, 180000, 300000, 600000, 1200000, 1800000,
		      3600000, 7200000, 10800000, 21600000 };
	int64_t least_ns = axis->column_ns * (8 / axis->cells + 1);
	int64_t step_ns = 12 * 60 * NS_PER_MIN;

	for (size_t i = 0; i < ARRAY_LENGTH(milliseconds); i++)
		if (milliseconds[i] * NS_PER_MS >= least_ns)
			return milliseconds[i] * NS_PER_MS;
	while (step_ns < least_ns)
		step_ns = saturating_multiply(step_ns, 2);
	return step_ns;
}

/* Prints each label below its tick, but none that the edge would cut off. */
static void
print_times(const struct axis *axis, int64_t step_ns)
{
	int64_t width = axis->columns * axis->cells, at = 0;

	for (int64_t ns = 0; cell_of(axis, ns) < width; ns += step_ns) {
		char words[32];
		struct text text = text_in(words, sizeof words);

		duration_text(&text, ns);
		if (cell_of(axis, ns) + (int64_t)text.length > width)
			break;
		printf("%*s%s", (int)(cell_of(axis, ns) - at), "", words);
		at = cell_of(axis, ns) + (int64_t)text.length;
	}
	putchar('\n');
}

/* Prints the time axis below the charts. */
static void
print_ticks(const struct axis *axis)
{
	int64_t step_ns = tick_step(axis), tick_ns = 0;
	int64_t width = axis->columns * axis->cells;

	print_margin("", glyph(axis, "└", "+"));
	for (int64_t cell = 0; cell < width; cell++) {
		if (cell == cell_of(axis, tick_ns)) {
			tick_ns += step_ns;
			fputs(glyph(axis, "┬", "+"), stdout);
		} else {
			fputs(glyph(axis, "─", "-"), stdout);
		}
	}
	printf("\n%*s", MARGIN, "");
	print_times(axis, step_ns);
}

/* Points to the time at which the service is up again. */
static void
print_recovery(const struct axis *axis, int64_t outage_ns)
{
	int cell = (int)cell_of(axis, outage_ns);
	char words[64];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "up again after ");
	duration_text(&text, outage_ns);
	if (cell + 2 + (int64_t)text.length <= axis->columns * axis->cells)
		printf("%*s%s %s\n", MARGIN + cell, "", glyph(axis, "▲", "^"),
		    words);
	else
		printf("%*s %s\n", MARGIN + cell - 1, words,
		    glyph(axis, "▲", "^"));
}

static void
print_legend(const struct axis *axis)
{
	if (axis->column_ns < NS_PER_S)
		printf("Attempts over time in columns of 1/%d s",
		    (int)(NS_PER_S / axis->column_ns));
	else
		terminal_duration(
		    "Attempts over time in columns of ", axis->column_ns, 0);
	puts("; the first is cut off if higher.");
}

/*
 * Where the time axis ends: with the last attempt, but some time after the
 * outage, and never at 0.
 */
static int64_t
shown_until(const struct scenario *scenario, const struct herd *herd)
{
	double until_ns = scenario->figures.end_ns;
	double outage_ns = (double)herd->outage_ns;

	if (until_ns < 1.25 * outage_ns)
		until_ns = 1.25 * outage_ns;
	if (until_ns < (double)NS_PER_S / 10)
		until_ns = (double)NS_PER_S / 10;
	return until_ns < (double)LONGEST_NS ? (int64_t)until_ns : LONGEST_NS;
}

void
timeline_show(const struct scenario *trials, const struct herd *herd,
    struct terminal terminal)
{
	int64_t cells = terminal.width - MARGIN;
	struct axis axis;

	if (cells < LEAST_CELLS)
		cells = LEAST_CELLS;
	if (cells > MOST_CELLS)
		cells = MOST_CELLS;
	axis = make_axis(shown_until(&trials[0], herd),
	    trials[0].histogram.bucket_ns, cells);
	axis.unicode = terminal.unicode;
	print_legend(&axis);
	for (int i = 0; i < SCENARIOS; i++) {
		if (i > 0)
			putchar('\n');
		print_chart(&trials[i], &axis, i == 0 ? 5 : 3);
	}
	print_ticks(&axis);
	if (herd->outage_ns > 0 && herd->outage_ns < LONGEST_NS)
		print_recovery(&axis, herd->outage_ns);
}
