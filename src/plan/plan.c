/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/bar_chart.h"
#include "core/duration.h"
#include "core/forecast.h"
#include "core/json.h"
#include "options/list_known.h"
#include "options/usage.h"
#include "plan/plan.h"
#include "process/clock.h"
#include "process/terminal.h"

#define MOST_ROWS 10000
#define HISTORIES 4096
#define TABLE_WIDTH 60 /* what is beside it is for the chart: */
#define LEAST_CHART 10
#define MOST_CHART 300

/* The outages that we tell the chance for. */
static const int64_t outages_ns[]
    = { 10 * NS_PER_S, NS_PER_MIN, 10 * NS_PER_MIN };
#define OUTAGES ARRAY_LENGTH(outages_ns)

/* The pauses of a plan. */
struct plan {
	const struct settings *settings;
	struct forecast_row *rows;
	size_t count;
	bool cut; /* there would be more of them */
	bool settled; /* they would not change the chances */
	int64_t left_ns; /* for all, INT64_MAX: for ever */
	double chances[OUTAGES];
};

/* What the limits leave from now on. */
static int64_t
time_left(const struct limits *limits)
{
	int64_t left_ns = limits->deadline_ns;

	if (limits->until_ns < INT64_MAX
	    && limits->until_ns - clock_epoch_ns() < left_ns)
		left_ns = limits->until_ns - clock_epoch_ns();
	return left_ns;
}

static bool
is_endless(const struct plan *plan)
{
	return plan->settings->limits.attempts == INT64_MAX
	    && plan->left_ns == INT64_MAX;
}

static struct plan
make_plan(const struct settings *settings)
{
	struct plan plan = {
		.settings = settings,
		.left_ns = time_left(&settings->limits),
		.rows = usage_allocate("--plan", MOST_ROWS, sizeof *plan.rows),
	};
	/* Always the same histories: the same options, the same plan. */
	struct random random = random_from(1);
	struct forecast forecast
	    = forecast_start(settings, plan.left_ns, &random,
	        usage_allocate("--plan", HISTORIES, sizeof(struct history)),
	        HISTORIES);

	forecast.horizon_ns = outages_ns[OUTAGES - 1];
	while (plan.count < MOST_ROWS && forecast_next(&forecast))
		plan.rows[plan.count++] = forecast.row;
	plan.cut = plan.count == MOST_ROWS && forecast_next(&forecast);
	plan.settled = !plan.cut || forecast_settled(&forecast);
	for (size_t i = 0; i < OUTAGES; i++)
		plan.chances[i] = is_endless(&plan)
		    ? 1
		    : forecast_outlasts(&forecast, outages_ns[i]);
	free(forecast.histories);
	return plan;
}

static void
print_row(const struct forecast_row *row, const struct chart *chart)
{
	char bar[1024];
	struct text text = text_in(bar, sizeof bar);

	printf("%7" PRId64, row->after_attempt);
	terminal_duration("  ", row->pause.low_ns, 7);
	terminal_duration(" ", row->mean_ns, 7);
	terminal_duration(" ", row->pause.high_ns, 7);
	terminal_duration("   ", row->earliest_ns, 7);
	terminal_duration(" ", row->mean_total_ns, 7);
	terminal_duration(" ", row->latest_ns, 7);
	if (row->pause.low_ns == row->pause.high_ns)
		chart_bar(&text, chart, row->pause.high_ns);
	else
		chart_interval(
		    &text, chart, row->pause.low_ns, row->pause.high_ns);
	printf("  %s\n", bar);
}

static bool
is_same_pause(const struct forecast_row *a, const struct forecast_row *b)
{
	return a->pause.low_ns == b->pause.low_ns
	    && a->pause.high_ns == b->pause.high_ns;
}

/* Of many rows with the same pause only the first and last tell anything. */
static bool
is_tedious(const struct plan *plan, size_t i)
{
	return i >= 2 && i + 1 < plan->count
	    && is_same_pause(&plan->rows[i - 2], &plan->rows[i])
	    && is_same_pause(&plan->rows[i - 1], &plan->rows[i])
	    && is_same_pause(&plan->rows[i + 1], &plan->rows[i]);
}

static void
print_table(const struct plan *plan)
{
	struct terminal terminal = terminal_of_stdout();
	struct chart chart = {
		.width
		= min_ns(max_ns(terminal.width - TABLE_WIDTH, LEAST_CHART),
		    MOST_CHART),
		.unicode = terminal.unicode,
	};

	for (size_t i = 0; i < plan->count; i++)
		if (plan->rows[i].pause.high_ns > chart.most)
			chart.most = plan->rows[i].pause.high_ns;
	puts("  after           pause           next attempt starts at");
	puts("attempt     from    mean      to  earliest    mean  latest");
	for (size_t i = 0; i < plan->count; i++)
		if (!is_tedious(plan, i))
			print_row(&plan->rows[i], &chart);
		else if (!is_tedious(plan, i - 1))
			puts("    ...");
}

static void
print_end(const struct plan *plan)
{
	const struct forecast_row *last = &plan->rows[plan->count - 1];
	int64_t attempts = plan->settings->limits.attempts;

	putchar('\n');
	if (plan->cut && plan->left_ns < INT64_MAX) {
		terminal_duration("And so on, at most until the time is up, ",
		    plan->left_ns, 0);
		puts(" after the start.");
	} else if (plan->cut) {
		puts("And so on.");
	} else if (last->certain && last->after_attempt == attempts - 1) {
		printf("%" PRId64 " attempts, the last one", attempts);
		terminal_duration(" ", last->mean_total_ns, 0);
		terminal_duration(" after the start (", last->earliest_ns, 0);
		terminal_duration(" to ", last->latest_ns, 0);
		puts(").");
	} else {
		printf("At most %" PRId64 " attempts before the time is up.\n",
		    last->after_attempt + 1);
	}
}

static void
print_chances(const struct plan *plan)
{
	fputs("Chance that it outlasts an outage of", stdout);
	for (size_t i = 0; i < OUTAGES; i++) {
		double percent = 100 * plan->chances[i];

		terminal_duration(i == 0 ? " " : ", ", outages_ns[i], 0);
		/* Neither certain nor impossible is rounded to that. */
		if (percent > 0 && percent < 1)
			printf(": below 1%%");
		else if (percent > 99 && percent < 100)
			printf(": above 99%%");
		else
			printf(": %.0f%%", percent);
	}
	puts(".");
}

static void
print_plan(const struct plan *plan)
{
	if (plan->left_ns <= 0) {
		puts("No attempt: the time is up.");
		return;
	}
	if (plan->count == 0) {
		puts("One attempt, no pause.");
		return;
	}
	print_table(plan);
	print_end(plan);
	if (plan->settled || is_endless(plan))
		print_chances(plan);
}

static void
print_json(const struct plan *plan)
{
	char line[512];

	for (size_t i = 0; i < plan->count; i++) {
		struct text text = text_in(line, sizeof line);

		json_plan(&text, &plan->rows[i]);
		puts(line);
	}
}

void
plan_show(const struct options *options)
{
	struct plan plan = make_plan(&options->settings);

	if (options->log.format == LOG_JSON) {
		print_json(&plan);
	} else {
		if (options->job.tool != NULL) {
			list_tool(options->job.tool);
			putchar('\n');
		}
		print_plan(&plan);
	}
	usage_finish();
}
