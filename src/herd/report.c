/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/base.h"
#include "core/charts/charts.h"
#include "core/words/words.h"
#include "herd/herd.h"
#include "options/options.h"

#define LABEL_WIDTH 37
#define FIGURE_WIDTH 14

#define MARGIN 10 /* left of a chart */
#define LEAST_CELLS 20 /* right of it */
#define MOST_CELLS 500
#define JSON_COLUMNS 200

/* Beyond it there is no arithmetic with times. */
#define LONGEST_NS (INT64_MAX / 4)

#define TIME (-1)

static const struct {
	const char *label; /* in the table; NULL: it is not there */
	const char *key; /* in JSON */
	int decimals; /* of a number; or TIME */
} rows[FIGURES] = {
	[FIGURE_RETRIES]
	= { "attempts per client, after the first", "retries_per_client", 1 },
	[FIGURE_PEAK] = { "peak attempts per 100ms, after 0s", "peak", 0 },
	[FIGURE_LATER_PEAK] = { "  after 5s", "later_peak", 0 },
	[FIGURE_WAIT]
	= { "extra wait after the outage, mean", "wait_mean_s", TIME },
	[FIGURE_WAIT_95] = { "  95th percentile", "wait_p95_s", TIME },
	[FIGURE_WAIT_LAST]
	= { "  until the last is served", "wait_last_s", TIME },
	[FIGURE_OUTAGE_RATE]
	= { "attempts per second of the outage", "outage_rate", 2 },
	[FIGURE_LATE_FAILURES]
	= { "failed attempts after the outage", "late_failures", 0 },
	[FIGURE_GAVE_UP] = { "clients that gave up", "gave_up", 0 },
	[FIGURE_END] = { NULL, "end_s", TIME },
};

/* The time of all charts, from 0 on, in columns of equal width. */
struct axis {
	int64_t column_ns;
	int64_t columns;
	int64_t cells; /* of the terminal in each column */
	bool unicode;
};

/* A figure in nanoseconds. */
static int64_t
whole_ns(double ns)
{
	return ns < 0x1p63 ? (int64_t)ns : DURATION_INF;
}

static void
print_figure(enum figure figure, double value)
{
	int decimals = rows[figure].decimals;

	if (value < 0)
		printf("%*s", FIGURE_WIDTH, "-");
	else if (decimals == TIME)
		printf("%*s", FIGURE_WIDTH, DURATION(whole_ns(value)));
	else
		printf("%*.*f", FIGURE_WIDTH, decimals, value);
}

/* Whether the figure says anything with the options of the FIRST trial. */
static bool
is_shown(enum figure figure, const struct trial *first)
{
	const struct limits *limits = &first->settings.limits;

	switch (figure) {
	case FIGURE_OUTAGE_RATE:
	case FIGURE_LATE_FAILURES:
		return first->gate != HERD_NO_GATE;
	case FIGURE_GAVE_UP:
		return limits->attempts < INT64_MAX
		    || limits->deadline_ns < DURATION_INF;
	default:
		return rows[figure].label != NULL;
	}
}

static void
print_table(const struct trial *trials)
{
	printf("%*s", LABEL_WIDTH, "");
	for (int i = 0; i < TRIALS; i++)
		printf("%*s", FIGURE_WIDTH, trials[i].name);
	putchar('\n');
	for (int row = 0; row < FIGURES; row++) {
		if (!is_shown((enum figure)row, &trials[0]))
			continue;
		printf("%-*s", LABEL_WIDTH, rows[row].label);
		for (int i = 0; i < TRIALS; i++)
			print_figure((enum figure)row, trials[i].figures[row]);
		putchar('\n');
	}
}

/* The clients, the outage, and what the service can do then. */
static void
print_title(const struct trial *first, const struct herd *herd)
{
	const struct service *service = &herd->service;

	printf("%" PRId64 " client%s", herd->clients,
	    herd->clients == 1 ? "" : "s");
	if (herd->machines > 1)
		printf(" on %" PRId64 " machines", herd->machines);
	printf(", an outage of %s, then ", DURATION(service->down_ns));
	if (service->capacity > 0)
		printf("%.10g served a second%s", service->capacity,
		    service->limit > 0 ? ", " : "");
	if (service->limit > 0)
		printf("a limit of %.10g a second", service->limit);
	if (service->burst > 0)
		printf(" and bursts of %.10g", service->burst);
	if (service->refusals > 0)
		printf(", %.10g%% refused", service->refusals * 100);
	if (service->failures > 0)
		printf(", %.10g%% fail", service->failures * 100);
	if (first->runs > 1)
		printf("; mean of %" PRId64 " runs", first->runs);
	putchar('\n');
}

/*
 * The next longer time for a column or a step of the axis: half a second, a
 * quarter ... are doubled, and so is a day.
 */
static int64_t
next_longer(int64_t ns)
{
	/* Each divides a minute, an hour or a day. */
	static const int seconds[] = { 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60,
		120, 180, 300, 360, 600, 720, 900, 1200, 1800, 3600, 7200,
		10800, 14400, 21600, 43200, 86400 };

	for (size_t i = 0; ns >= NS_PER_S && i < ARRAY_LENGTH(seconds); i++)
		if (seconds[i] * NS_PER_S > ns)
			return seconds[i] * NS_PER_S;
	return 2 * ns;
}

/*
 * To the end of the FIRST trial, or a while after the outage, in at most MOST
 * columns. They are whole seconds, so that clients in lockstep, who come once
 * in so many seconds, make no beats with them. If 20 seconds are all that there
 * is, they are a half, a quarter ... of one.
 */
static struct axis
axis_of(const struct trial *first, const struct herd *herd, int64_t most)
{
	int64_t until_ns
	    = min_ns(max_ns(whole_ns(first->figures[FIGURE_END]),
	                 max_ns(whole_ns(1.25 * (double)herd->service.down_ns),
	                     NS_PER_S / 10)),
	        LONGEST_NS);
	struct axis axis = { .column_ns = first->histogram.bucket_ns };

	if (until_ns >= 20 * NS_PER_S)
		axis.column_ns = max_ns(axis.column_ns, NS_PER_S);
	while (until_ns / axis.column_ns >= most)
		axis.column_ns = next_longer(axis.column_ns);
	axis.columns = until_ns / axis.column_ns + 1;
	return axis;
}

static int64_t
cell_of(const struct axis *axis, int64_t at_ns)
{
	return at_ns / axis->column_ns * axis->cells;
}

static const char *
glyph(const struct axis *axis, const char *unicode, const char *ascii)
{
	return axis->unicode ? unicode : ascii;
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

/* Scaled to the highest column but the first, where all clients start. */
static void
print_chart(const struct trial *trial, const struct axis *axis, int height)
{
	int64_t values[MOST_CELLS];
	char label[32];
	struct chart chart = {
		.width = axis->columns * axis->cells,
		.height = height,
		.unicode = axis->unicode,
	};

	fputs(trial->name, stdout);
	if (trial->no_end != NULL) {
		printf(": %s\n", trial->no_end);
		return;
	}
	if (trial->histogram.latest_ns >= axis->columns * axis->column_ns)
		printf(
		    ", goes on until %s", DURATION(trial->histogram.latest_ns));
	putchar('\n');
	histogram_columns(
	    &trial->histogram, axis->column_ns, values, (size_t)axis->columns);
	for (int64_t i = 1; i < axis->columns; i++)
		chart.most = max_ns(chart.most, values[i]);
	for (int64_t i = chart.width - 1; i >= 0; i--)
		values[i] = values[i / axis->cells];
	rate_text(label, sizeof label,
	    (double)chart.most
	        / ((double)axis->column_ns / NS_PER_S * (double)trial->runs));
	for (int row = 1; row <= height; row++) {
		struct text cells = TEXT_OF(3 * MOST_CELLS + 1);

		chart_row(&cells, &chart, values, row);
		printf("%*s %s%s\n", MARGIN - 2, row == 1 ? label : "",
		    glyph(axis, "│", "|"), cells.data);
	}
}

/* The time axis below the charts; no label is cut off by its edge. */
static void
print_axis(const struct axis *axis)
{
	int64_t width = axis->columns * axis->cells, tick_ns = 0, at = 0;
	int64_t step_ns = axis->column_ns;

	/* A label has up to eight characters. */
	while (step_ns / axis->column_ns * axis->cells <= 8)
		step_ns = next_longer(step_ns);
	printf("%*s %s", MARGIN - 2, "", glyph(axis, "└", "+"));
	for (int64_t cell = 0; cell < width; cell++) {
		bool is_tick = cell == cell_of(axis, tick_ns);

		tick_ns += is_tick ? step_ns : 0;
		fputs(is_tick ? glyph(axis, "┬", "+") : glyph(axis, "─", "-"),
		    stdout);
	}
	printf("\n%*s", MARGIN, "");
	for (int64_t ns = 0; cell_of(axis, ns) < width; ns += step_ns) {
		const char *label = DURATION(ns);
		int64_t cell = cell_of(axis, ns);

		if (cell + (int64_t)strlen(label) > width)
			break;
		printf("%*s%s", (int)(cell - at), "", label);
		at = cell + (int64_t)strlen(label);
	}
	putchar('\n');
}

/* Points to the time at which the service is up again. */
static void
print_recovery(const struct axis *axis, int64_t outage_ns)
{
	int cell = (int)cell_of(axis, outage_ns);
	const char *words = JOINED(64, "up again after ", DURATION(outage_ns));

	if (cell + 2 + (int64_t)strlen(words) <= axis->columns * axis->cells)
		printf("%*s%s %s\n", MARGIN + cell, "", glyph(axis, "▲", "^"),
		    words);
	else
		printf("%*s %s\n", MARGIN + cell - 1, words,
		    glyph(axis, "▲", "^"));
}

void
report_text(const struct trial *trials, const struct herd *herd)
{
	struct terminal terminal = terminal_of_stdout();
	int64_t cells
	    = min_ns(max_ns(terminal.width - MARGIN, LEAST_CELLS), MOST_CELLS);
	struct axis axis = axis_of(&trials[0], herd, cells);

	axis.cells = cells / axis.columns;
	axis.unicode = terminal.unicode;
	print_title(&trials[0], herd);
	putchar('\n');
	print_table(trials);
	printf("\nAttempts over time in columns of %s; "
	       "the first is cut off if higher.\n",
	    axis.column_ns >= NS_PER_S
	        ? DURATION(axis.column_ns)
	        : JOINED(32, "1/", NUMBER(NS_PER_S / axis.column_ns), " s"));
	for (int i = 0; i < TRIALS; i++) {
		if (i > 0)
			putchar('\n');
		print_chart(&trials[i], &axis, i == 0 ? 5 : 3);
	}
	print_axis(&axis);
	if (herd->service.down_ns > 0 && herd->service.down_ns < LONGEST_NS)
		print_recovery(&axis, herd->service.down_ns);
}

static void
add_number(struct text *text, const char *key, double number)
{
	char words[32];

	snprintf(words, sizeof words, "%.10g", number);
	json_member(text, key, number >= 0 ? words : NULL);
}

/* Leaves out 0, the default of an option. */
static void
add_given(struct text *text, const char *key, double number)
{
	if (number > 0)
		add_number(text, key, number);
}

static void
print_json_figures(const struct trial *trial, const struct herd *herd)
{
	const struct service *service = &herd->service;
	struct text text = TEXT_OF(1024);

	text_add(&text, "{\"event\":\"herd\"");
	json_member_string(&text, "policy", trial->name);
	json_member_number(&text, "clients", herd->clients);
	if (herd->machines > 1)
		json_member_number(&text, "machines", herd->machines);
	json_member_seconds(&text, "outage_s", service->down_ns);
	add_number(
	    &text, "capacity", service->capacity > 0 ? service->capacity : -1);
	add_given(&text, "failures", service->failures);
	add_given(&text, "limit", service->limit);
	if (service->limit > 0)
		add_number(&text, "burst", service->burst);
	add_given(&text, "refusals", service->refusals);
	if (service->retry_after_ns > 0)
		json_member_seconds(
		    &text, "retry_after_s", service->retry_after_ns);
	if (service->late_ns > 0)
		json_member_seconds(&text, "late_s", service->late_ns);
	json_member_number(&text, "runs", trial->runs);
	json_member_string(&text, "no_end", trial->no_end);
	for (int i = 0; i < FIGURES; i++)
		if (rows[i].decimals == TIME)
			json_member_seconds(
			    &text, rows[i].key, whole_ns(trial->figures[i]));
		else
			add_number(&text, rows[i].key, trial->figures[i]);
	text_byte(&text, '}');
	puts(text.data);
}

static void
print_json_load(const struct trial *trial, const struct axis *axis)
{
	int64_t values[JSON_COLUMNS];

	histogram_columns(
	    &trial->histogram, axis->column_ns, values, (size_t)axis->columns);
	for (int64_t i = 0; i < axis->columns; i++) {
		struct text text = TEXT_OF(512);

		text_add(&text, "{\"event\":\"load\"");
		json_member_string(&text, "policy", trial->name);
		json_member_seconds(&text, "from_s", i * axis->column_ns);
		json_member_seconds(&text, "to_s", (i + 1) * axis->column_ns);
		add_number(
		    &text, "attempts", (double)values[i] / (double)trial->runs);
		text_byte(&text, '}');
		puts(text.data);
	}
}

void
report_json(const struct trial *trials, const struct herd *herd)
{
	struct axis axis = axis_of(&trials[0], herd, JSON_COLUMNS);

	for (int i = 0; i < TRIALS; i++)
		print_json_figures(&trials[i], herd);
	for (int i = 0; i < TRIALS; i++)
		if (trials[i].no_end == NULL)
			print_json_load(&trials[i], &axis);
}
