/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/base.h"
#include "core/charts/charts.h"
#include "core/gate/gate.h"
#include "core/words/words.h"
#include "options/options.h"
#include "plan/plan.h"
#include "streams/streams.h"
#include "system/system.h"

#define MOST_ROWS 10000

/* How likely is it that each of these is outlasted? */
static const int64_t outages_ns[]
    = { 10 * NS_PER_S, NS_PER_MIN, 10 * NS_PER_MIN };
#define OUTAGES ARRAY_LENGTH(outages_ns)

/*
 * A history is one simulated run. This many usually give the chances to a
 * percentage point; a long plan makes fewer, so that it takes a tenth of a
 * second or two at most. The first few histories show how long it is.
 */
#define MOST_HISTORIES 16384
#define LEAST_HISTORIES 100
#define FIRST_HISTORIES 8
#define MOST_DRAWS 1000000

#define WIDE_TABLE 60 /* the chart gets the rest of the line */
#define LEAST_CHART 10
#define MOST_CHART 300
#define NARROW_TABLE 33
#define LEAST_NARROW_CHART 5

/* The pauses of a plan. */
struct plan {
	const struct settings *settings;
	struct terminal terminal;
	bool is_wide; /* enough for all columns */
	struct forecast_row *rows;
	size_t count;
	bool cut; /* there are more rows than MOST_ROWS */
	int64_t until_in_ns; /* the time to --until; INT64_MAX: not given */
	int64_t left_ns; /* the time for everything; INT64_MAX: no limit */
	double chances[OUTAGES];
};

static double
chance_of(const struct plan *plan, const struct forecast *forecast, int64_t ns)
{
	double chance = forecast_outlasts(forecast, ns);

	if (plan->left_ns < INT64_MAX)
		return chance;
	if (plan->settings->limits.attempts == INT64_MAX)
		return 1;
	/* What all simulated runs outlast is not certain to be outlasted. */
	return chance == 1 && !plan->cut && forecast->row.start.low_ns < ns
	    ? 0.999
	    : chance;
}

/* Fills rows and chances from COUNT histories; returns how many they drew. */
static int64_t
make_histories(struct plan *plan, struct history *histories, size_t count)
{
	/* A fixed seed: the same options print the same plan. */
	struct random random = random_from(1);
	struct forecast forecast = forecast_start(
	    plan->settings, plan->until_in_ns, &random, histories, count);

	plan->count = 0;
	while (plan->count < MOST_ROWS && forecast_next(&forecast))
		plan->rows[plan->count++] = forecast.row;
	plan->cut = plan->count == MOST_ROWS && forecast_next(&forecast);
	for (size_t i = 0; i < OUTAGES; i++)
		plan->chances[i] = chance_of(plan, &forecast, outages_ns[i]);
	return forecast.draws;
}

static struct plan
make_plan(const struct options *options)
{
	const struct limits *limits = &options->settings.limits;
	struct plan plan = {
		.settings = &options->settings,
		.until_in_ns = limits->until_ns == INT64_MAX
		    ? INT64_MAX
		    : limits->until_ns - clock_epoch_ns(),
		.rows = usage_allocate("--plan", MOST_ROWS, sizeof *plan.rows),
	};
	struct history *histories
	    = usage_allocate("--plan", MOST_HISTORIES, sizeof *histories);
	int64_t draws, count;

	plan.left_ns = min_ns(limits->deadline_ns, plan.until_in_ns);
	if (plan.left_ns > 0) {
		draws = make_histories(&plan, histories, FIRST_HISTORIES);
		count = MOST_DRAWS / (draws / FIRST_HISTORIES + 1);
		count = min_ns(max_ns(count, LEAST_HISTORIES), MOST_HISTORIES);
		make_histories(&plan, histories, (size_t)count);
	}
	free(histories);
	return plan;
}

static void
print_row(const struct plan *plan, const struct forecast_row *row,
    const struct chart *chart)
{
	int64_t low_ns = row->pause.low_ns, high_ns = row->pause.high_ns;
	struct text bar = TEXT_OF(3 * MOST_CHART + 1);

	if (plan->is_wide)
		printf("%7" PRId64 "  %7s %7s %7s   %7s %7s %7s",
		    row->after_attempt, DURATION(low_ns),
		    DURATION(row->mean_ns), DURATION(high_ns),
		    DURATION(row->start.low_ns), DURATION(row->mean_total_ns),
		    DURATION(row->start.high_ns));
	else
		printf("%5" PRId64 "  %7s %7s  %7s", row->after_attempt,
		    DURATION(low_ns), DURATION(high_ns),
		    DURATION(row->mean_total_ns));
	/* A pause that is always the same is a bar from 0. */
	if (chart->width > 0)
		chart_bar(&bar, chart, low_ns < high_ns ? low_ns : 0, high_ns);
	printf("%s%s\n", chart->width > 0 ? "  " : "", bar.data);
}

/* Of many rows with the same pause, only the first and last are printed. */
static bool
is_tedious(const struct plan *plan, size_t i)
{
	const struct forecast_row *row = &plan->rows[i];

	if (i < 2 || i + 1 >= plan->count)
		return false;
	for (const struct forecast_row *at = row - 2; at <= row + 1; at++)
		if (at->pause.low_ns != row->pause.low_ns
		    || at->pause.high_ns != row->pause.high_ns)
			return false;
	return true;
}

static void
print_table(const struct plan *plan)
{
	int64_t room = plan->terminal.width
	    - (plan->is_wide ? WIDE_TABLE : NARROW_TABLE);
	int64_t least = plan->is_wide ? LEAST_CHART : LEAST_NARROW_CHART;
	struct chart chart = {
		.width = room < least ? 0 : min_ns(room, MOST_CHART),
		.unicode = plan->terminal.unicode,
	};

	for (size_t i = 0; i < plan->count; i++)
		chart.most = max_ns(chart.most, plan->rows[i].pause.high_ns);
	puts(plan->is_wide ? "  after           pause           "
	                     "next attempt starts at\n"
	                     "attempt     from    mean      to  "
	                     "earliest    mean  latest"
	                   : "            pause       next at\n"
	                     "after     from      to     mean");
	for (size_t i = 0; i < plan->count; i++)
		if (!is_tedious(plan, i))
			print_row(plan, &plan->rows[i], &chart);
		else if (!is_tedious(plan, i - 1))
			puts(plan->is_wide ? "    ..." : "  ...");
}

static void
print_end(const struct plan *plan)
{
	const struct forecast_row *last = &plan->rows[plan->count - 1];
	int64_t attempts = plan->settings->limits.attempts;
	const char *range = last->start.low_ns < last->start.high_ns
	    ? JOINED(64, " (", DURATION(last->start.low_ns), " to ",
	        DURATION(last->start.high_ns), ")")
	    : "";
	struct text text = TEXT_OF(256);

	if (plan->cut && plan->left_ns < INT64_MAX)
		text_join(&text, "And so on, for at most ",
		    DURATION(plan->left_ns), " in all.");
	else if (plan->cut)
		text_add(&text, "And so on.");
	else if (last->certain && last->after_attempt == attempts - 1)
		text_join(&text, NUMBER(attempts), " attempts, the last one ",
		    DURATION(last->mean_total_ns), " after the start", range,
		    ".");
	else
		text_join(&text, "At most ", NUMBER(last->after_attempt + 1),
		    " attempts before the time is up.");
	terminal_wrapped(text.data, 0, 0, plan->terminal.width);
}

static void
print_chances(const struct plan *plan)
{
	struct text text = TEXT_OF(256);

	text_add(&text, "Chance that it outlasts an outage of");
	for (size_t i = 0; i < OUTAGES; i++) {
		double chance = plan->chances[i];

		text_join(
		    &text, i == 0 ? " " : ", ", DURATION(outages_ns[i]), ": ");
		/* 0% only if it is impossible, 100% only if it is certain. */
		if (chance > 0 && chance < 0.01)
			text_add(&text, "below 1%");
		else if (chance > 0.99 && chance < 1)
			text_add(&text, "above 99%");
		else
			text_join(
			    &text, NUMBER((int64_t)(100 * chance + 0.5)), "%");
	}
	text_byte(&text, '.');
	terminal_wrapped(text.data, 0, 0, plan->terminal.width);
}

static void
print_plan(const struct plan *plan)
{
	if (plan->left_ns <= 0) {
		puts("No attempt: the time is up.");
	} else if (plan->count == 0) {
		puts("One attempt, no pause.");
	} else {
		print_table(plan);
		putchar('\n');
		print_end(plan);
		/* Rows left out could still raise a chance below 1. */
		if (!plan->cut || plan->chances[OUTAGES - 1] == 1)
			print_chances(plan);
	}
}

static void
print_note(const char *words, int width)
{
	putchar('\n');
	terminal_wrapped(words, 0, 0, width);
}

/* Prints what may change the pauses in the table. */
static void
print_notes(const struct options *options, int width)
{
	const struct scan *scan = options->streams.scan;
	const struct limits *limits = &options->settings.limits;
	const struct gate_options *gate = &options->shared.gate;

	if (limits->attempts > 1 && scan != NULL
	    && scan->waits.wanted != WANTED_NOTHING)
		print_note(
		    JOINED(256,
		        "If the output of a failed attempt states a longer "
		        "wait, the pause lasts that long",
		        limits->hint_max_ns < DURATION_INF
		            ? JOINED(80, "; a wait of more than ",
		                DURATION(limits->hint_max_ns), " ends the run")
		            : "",
		        "."),
		    width);
	if (gate->name[0] != '\0')
		print_note(
		    JOINED(512, "These are the pauses while gate ",
		        gate->fleet ? FLEET_PREFIX : "", gate->name,
		        /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma) */
		        " is open. While it is shut, one run at a time probes "
		        "the service, and the others wait (this one: "
		        "--gate-wait=",
		        DURATION(gate->wait_ns), "). See backoff-gate(7)."),
		    width);
}

static void
print_json(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct forecast_row *row = &plan->rows[i];
		struct text text = TEXT_OF(512);

		text_add(&text, "{\"event\":\"plan\"");
		json_member_number(&text, "after_attempt", row->after_attempt);
		json_member_seconds(&text, "low_s", row->pause.low_ns);
		json_member_seconds(&text, "high_s", row->pause.high_ns);
		json_member_seconds(&text, "mean_s", row->mean_ns);
		json_member_seconds(&text, "earliest_s", row->start.low_ns);
		json_member_seconds(&text, "mean_total_s", row->mean_total_ns);
		json_member_seconds(&text, "latest_s", row->start.high_ns);
		text_byte(&text, '}');
		puts(text.data);
	}
}

void
plan_show(const struct options *options)
{
	struct plan plan = make_plan(options);

	plan.terminal = terminal_of_stdout();
	plan.is_wide = plan.terminal.width >= WIDE_TABLE - 2;
	if (options->log.format == LOG_JSON) {
		print_json(&plan);
	} else {
		if (options->job.tool != NULL) {
			list_tool(options->job.tool, &options->settings.rules);
			putchar('\n');
		}
		print_plan(&plan);
		print_notes(options, plan.terminal.width);
	}
	usage_finish();
}
