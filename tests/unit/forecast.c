/* SPDX-License-Identifier: MIT */
/*
 * Forecasts, against formulas, and against what the loop then does.
 */
#include <config.h>

#include <math.h>

#include "core/duration.h"
#include "core/forecast.h"
#include "stage.h"
#include "tap.h"
#include "unlimited.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define HISTORIES 4096
#define ROWS (STAGE_ATTEMPTS - 1)
#define RUNS 100

static struct settings settings;
static struct history histories[HISTORIES];
static struct forecast forecast;
static struct random source;

/* The defaults: full jitter from 1 s on, tripling, up to a minute. */
static void
reset(void)
{
	settings = (struct settings) {
		.policy = {
			.base_ns = S,
			.factor = 3,
			.cap_ns = 60 * S,
			.floor_ns = S / 10,
			.throttle_base_ns = 5 * S,
			.max_exponent = INT64_MAX,
			.jitter.kind = JITTER_FULL,
		},
		.limits = unlimited(),
	};
	settings.limits.attempts = 6;
}

static void
start(void)
{
	source = random_from(1);
	forecast = forecast_start(&settings, settings.limits.deadline_ns,
	    &source, histories, HISTORIES);
}

static void
row_is(int64_t low_ns, int64_t mean_ns, int64_t high_ns, const char *what)
{
	ok(forecast_next(&forecast), what);
	is_int(forecast.row.pause.low_ns, low_ns, "  from");
	is_int(forecast.row.mean_ns, mean_ns, "  in the mean");
	is_int(forecast.row.pause.high_ns, high_ns, "  to");
}

static void
total_is(int64_t earliest_ns, int64_t mean_ns, int64_t latest_ns)
{
	is_int(forecast.row.earliest_ns, earliest_ns, "  earliest");
	is_int(forecast.row.mean_total_ns, mean_ns, "  mean total");
	is_int(forecast.row.latest_ns, latest_ns, "  latest");
}

static void
test_formulas(void)
{
	reset();
	start();
	row_is(100 * MS, 550 * MS, S, "the default, 1");
	total_is(100 * MS, 550 * MS, S);
	row_is(100 * MS, 1550 * MS, 3 * S, "2");
	total_is(200 * MS, 2100 * MS, 4 * S);
	row_is(100 * MS, 4550 * MS, 9 * S, "3");
	row_is(100 * MS, 13550 * MS, 27 * S, "4");
	row_is(100 * MS, 30050 * MS, 60 * S, "5");
	total_is(500 * MS, 50250 * MS, 100 * S);
	ok(!forecast_next(&forecast), "no pause after the last attempt");
	ok(!forecast_next(&forecast), "nor later");

	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.limits.splay = (struct range) { 2 * S, 4 * S };
	start();
	row_is(S, S, S, "without jitter");
	total_is(3 * S, 4 * S, 5 * S);

	reset();
	settings.policy.slot_ns = S;
	start();
	row_is(S, S, S, "slots above the floor");
	row_is(S, 2 * S, 3 * S, "1, 2 or 3 of them");
	settings.policy.jitter.kind = JITTER_NONE;
	settings.policy.base_ns = 1600 * MS;
	start();
	row_is(2 * S, 2 * S, 2 * S, "the nearest slot");
	row_is(5 * S, 5 * S, 5 * S, "below");

	reset();
	settings.policy.cap_mode = CAP_AFTER;
	settings.policy.floor_ns = 0;
	settings.policy.cap_ns = 2 * S;
	start();
	row_is(0, S / 2, S, "the cap after the draw, but out of reach");
	/* E(min(U[0, 3], 2)) = (2 * 2 / 2 + 2 * 1) / 3 */
	row_is(0, 4 * S / 3, 2 * S, "within reach");
	settings.policy.slot_ns = S / 2;
	start();
	row_is(0, S / 2, S, "slots, and the cap out of reach");
	/* 0, 0.5, 1, 1.5 and 2, and 2 in place of 2.5 and 3 */
	row_is(0, 9 * S / 7, 2 * S, "within reach");
	settings.policy.cap_ns = 700 * MS;
	settings.policy.jitter.kind = JITTER_NONE;
	start();
	row_is(700 * MS, 700 * MS, 700 * MS, "a slot beyond the cap");
}

/* Where a cap shrinks a window, the longest pause is the cap. */
static void
test_cap(void)
{
	reset();
	settings.policy.cap_ns = 700 * MS;
	settings.policy.floor_ns = 0;
	settings.policy.jitter
	    = (struct jitter) { .kind = JITTER_SCALE, .low = .8, .high = 1.2 };
	start();
	row_is(466666666, 583333333, 700 * MS, "in proportion");
	settings.policy.slot_ns = 100 * MS;
	start();
	row_is(500 * MS, 600 * MS, 700 * MS, "in slots");
}

/* The means of the article's own formula, as other simulators have them. */
static void
test_memory(void)
{
	static const double after[] = { 2, 3.51, 5.75, 8.25, 10, 11.2, 12 };
	static const double within[] = { 2, 3.5, 5.7, 7.3, 7.9, 8.1 };

	reset();
	settings.policy.jitter.kind = JITTER_DECORRELATED;
	settings.policy.cap_ns = 20 * S;
	settings.policy.cap_mode = CAP_AFTER;
	settings.limits.attempts = INT64_MAX;
	start();
	row_is(S, 2 * S, 3 * S, "decorrelated: the first has a formula");
	start();
	for (int i = 0; i < 7 && forecast_next(&forecast); i++)
		ok(fabs((double)forecast.row.mean_ns / 1e9 - after[i]) < .3,
		    "decorrelated, the cap after the draw");
	settings.policy.cap_mode = CAP_WINDOW;
	start();
	for (int i = 0; i < 6 && forecast_next(&forecast); i++)
		ok(fabs((double)forecast.row.mean_ns / 1e9 - within[i]) < .3,
		    "decorrelated, the cap within");
	is_int(forecast.row.pause.low_ns, S, "it may always be the base");
	is_int(forecast.row.pause.high_ns, 20 * S, "and, by now, the cap");
}

static void
test_deadline(void)
{
	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.limits.attempts = INT64_MAX;
	settings.limits.deadline_ns = 10 * S;
	start();
	row_is(S, S, S, "1 s of 10");
	row_is(3 * S, 3 * S, 3 * S, "3 s of 9");
	row_is(6 * S, 6 * S, 6 * S, "the last one is what is left");
	total_is(10 * S, 10 * S, 10 * S);
	ok(!forecast_next(&forecast), "then the time is up");
	ok(forecast_outlasts(&forecast, 10 * S - 1) == 1,
	    "the last attempt begins just before");
	ok(forecast_outlasts(&forecast, 10 * S) == 0, "and not later");

	settings.policy.growth = GROWTH_CONSTANT;
	settings.limits.deadline_ns = 3 * S / 2;
	start();
	forecast.horizon_ns = S / 2;
	row_is(S, S, S, "beyond the horizon");
	row_is(S / 2, S / 2, S / 2, "the deadline shrinks the pause");
	total_is(3 * S / 2, 3 * S / 2, 3 * S / 2);
	ok(forecast.row.certain, "in all histories");

	settings.limits.splay = (struct range) { 0, 100 * S };
	start();
	ok(forecast_outlasts(&forecast, 3 * S / 2) == 0,
	    "the splay ends before the deadline");
	ok(fabs(forecast_outlasts(&forecast, 3 * S / 4) - .5) < .05,
	    "and is cut, not cut off");
	ok(forecast_next(&forecast) && forecast.row.certain,
	    "it leaves something for one pause");
	is_int(forecast.row.pause.low_ns, 1, "  little");
	is_int(forecast.row.pause.high_ns, S, "  or enough");
	ok(forecast_next(&forecast) && !forecast.row.certain,
	    "and for another one in some histories");
}

static void
test_outages(void)
{
	reset();
	start();
	while (forecast_next(&forecast))
		;
	ok(forecast_outlasts(&forecast, 500 * MS) == 1,
	    "half a second: surely");
	ok(forecast_outlasts(&forecast, 101 * S) == 0, "101 s: never");
	/* U[0.1, 60] and four smaller ones, normal enough: 50 s is the mean. */
	ok(fabs(forecast_outlasts(&forecast, 50250 * MS) - .5) < .05,
	    "the mean: one half");
}

static void
choose_settings(struct random *random)
{
	struct policy *policy = &settings.policy;
	struct limits *limits = &settings.limits;

	reset();
	policy->growth = (enum growth)random_between(random, 0, 6);
	policy->factor = 1 + random_unit(random) * 2;
	policy->jitter = (struct jitter) {
		.kind = (enum jitter_kind)random_between(random, 0, 7),
		.low = .5,
		.high = 1.5,
		.spread_ns = S,
	};
	policy->cap_mode = (enum cap_mode)random_between(random, 0, 2);
	policy->cap_ns = random_between(random, 2, 20) * S;
	policy->floor_ns = random_between(random, 0, 10) * S / 10;
	policy->slot_ns = random_between(random, 0, 3) / 3 * S;
	limits->attempts = random_between(random, 2, 9);
	if (random_between(random, 0, 2) == 0)
		limits->deadline_ns = random_between(random, 1, 40) * S;
	if (random_between(random, 0, 2) == 0)
		limits->splay
		    = (struct range) { S, random_between(random, 1, 9) * S };
}

/* What the loop has done in RUNS runs, beside the forecast. */
struct seen {
	struct range pauses[ROWS]; /* shortest and longest */
	int64_t most; /* attempts */
	bool outside; /* a pause, a start or an attempt not forecast */
};

static struct seen
watch_loop(const struct forecast_row *rows, int count, struct random *random)
{
	struct seen seen = { .most = 0 };

	for (int i = 0; i < ROWS; i++)
		seen.pauses[i] = (struct range) { INT64_MAX, -1 };
	for (int run = 0; run < RUNS; run++) {
		struct stage stage = { .down_ns = INT64_MAX };

		stage_run(&stage, &settings, random);
		if (stage.attempts > seen.most)
			seen.most = stage.attempts;
		for (int i = 0; i + 1 < stage.attempts; i++) {
			int64_t ns = stage.at_ns[i + 1] - stage.at_ns[i];
			struct range *range = &seen.pauses[i];

			seen.outside |= i >= count || ns < rows[i].pause.low_ns
			    || ns > rows[i].pause.high_ns
			    || stage.at_ns[i + 1] < rows[i].earliest_ns
			    || stage.at_ns[i + 1] > rows[i].latest_ns;
			range->low_ns = ns < range->low_ns ? ns : range->low_ns;
			range->high_ns
			    = ns > range->high_ns ? ns : range->high_ns;
		}
	}
	return seen;
}

/* No pause of the loop is outside the forecast. */
static bool
comes_true(uint64_t seed)
{
	struct random random = random_from(seed);
	struct forecast_row rows[ROWS];
	struct seen seen;
	int count = 0;

	choose_settings(&random);
	start();
	while (count < ROWS && forecast_next(&forecast))
		rows[count++] = forecast.row;
	seen = watch_loop(rows, count, &random);
	for (int i = 0; i < count; i++)
		seen.outside |= rows[i].mean_ns < rows[i].pause.low_ns
		    || rows[i].mean_ns > rows[i].pause.high_ns
		    || rows[i].mean_total_ns < rows[i].earliest_ns
		    || rows[i].mean_total_ns > rows[i].latest_ns;
	return !seen.outside && (count < ROWS || seen.most >= count);
}

/* The first pause of the loop comes near both ends that are forecast. */
static bool
is_tight(uint64_t seed)
{
	struct random random = random_from(seed);
	struct seen seen;
	struct range wanted;
	int64_t margin_ns;

	choose_settings(&random);
	settings.limits.deadline_ns = DURATION_INF;
	start();
	forecast_next(&forecast);
	wanted = forecast.row.pause;
	margin_ns = (wanted.high_ns - wanted.low_ns) / 4;
	seen = watch_loop(&forecast.row, 1, &random);
	return seen.pauses[0].low_ns <= wanted.low_ns + margin_ns
	    && seen.pauses[0].high_ns >= wanted.high_ns - margin_ns;
}

static void
test_loop(void)
{
	int64_t wrong = -1, loose = -1;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		if (!comes_true(seed))
			wrong = (int64_t)seed;
		if (!is_tight(seed))
			loose = (int64_t)seed;
	}
	is_int(wrong, -1, "the loop stays within what is forecast");
	is_int(loose, -1, "and comes near its ends");
}

int
main(void)
{
	test_formulas();
	test_cap();
	test_memory();
	test_deadline();
	test_outages();
	test_loop();
	return done();
}
