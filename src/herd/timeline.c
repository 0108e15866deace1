/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/charts/chart.h"
#include "herd/time_axis.h"
#include "herd/timeline.h"
#include "process/terminal.h"

#define MARGIN 10 /* left of a chart */
#define LEAST_CELLS 20 /* right of it */
#define MOST_CELLS 500

/* The time axis in character cells, from 0 on. */
struct axis {
	struct time_axis time;
	int64_t cells; /* each column is so wide */
	bool unicode;
};

static int64_t
width_of(const struct axis *axis)
{
	return axis->time.columns * axis->cells;
}

static int64_t
cell_of(const struct axis *axis, int64_t at_ns)
{
	return at_ns / axis->time.column_ns * axis->cells;
}

/*
 * Sets VALUES to the attempts in each cell. Returns the highest, leaving out
 * the first column, where all clients start.
 */
static int64_t
fill_cells(
    int64_t *values, const struct histogram *histogram, const struct axis *axis)
{
	int64_t most = time_axis_fill(&axis->time, histogram, values);

	for (int64_t i = width_of(axis) - 1; i >= 0; i--)
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
		.width = width_of(axis),
		.height = height,
		.most = fill_cells(values, &scenario->histogram, axis),
		.unicode = axis->unicode,
	};

	rate_text(label, sizeof label,
	    time_axis_rate(&axis->time, scenario, chart.most));
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
	if (end_ns >= time_axis_end(&axis->time))
		terminal_duration(", goes on until ", end_ns, 0);
	putchar('\n');
	print_bars(scenario, axis, height);
}

/* Prints each label below its tick, but none that the edge would cut off. */
static void
print_times(const struct axis *axis, int64_t step_ns)
{
	int64_t width = width_of(axis), at = 0;

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
	/* The smallest of a usual clock that leaves room for the labels. */
	int64_t step_ns
	    = chart_time_step(axis->time.column_ns * (8 / axis->cells + 1));
	int64_t tick_ns = 0;
	int64_t width = width_of(axis);

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

	text_join(&text, "up again after ", DURATION(outage_ns));
	if (cell + 2 + (int64_t)text.length <= width_of(axis))
		printf("%*s%s %s\n", MARGIN + cell, "", glyph(axis, "▲", "^"),
		    words);
	else
		printf("%*s %s\n", MARGIN + cell - 1, words,
		    glyph(axis, "▲", "^"));
}

static void
print_legend(const struct axis *axis)
{
	char words[32];
	struct text text = text_in(words, sizeof words);

	time_axis_column(&axis->time, &text);
	printf("Attempts over time in columns of %s; "
	       "the first is cut off if higher.\n",
	    words);
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
	axis.time = time_axis_of(&trials[0], herd, cells);
	axis.cells = cells / axis.time.columns;
	axis.unicode = terminal.unicode;
	print_legend(&axis);
	for (int i = 0; i < SCENARIOS; i++) {
		if (i > 0)
			putchar('\n');
		print_chart(&trials[i], &axis, i == 0 ? 5 : 3);
	}
	print_ticks(&axis);
	if (herd->service.down_ns > 0 && herd->service.down_ns < LONGEST_NS)
		print_recovery(&axis, herd->service.down_ns);
}
