/* SPDX-License-Identifier: MIT */
/*
 * Forecasts, against formulas, and against what the loop then does.
 */
#include <config.h>

#include <math.h>

#include "core/base/base.h"
#include "core/charts/charts.h"
#include "unit/stage.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define HISTORIES 16384
#define ROWS (STAGE_ATTEMPTS - 1)
#define RUNS 300

static struct settings settings;
static struct history histories[HISTORIES];
static size_t histories_count = HISTORIES;
static struct forecast forecast;
static struct random source;

/* The defaults: full jitter from 1 s on, tripling, up to a minute. */
static void
reset(void)
{
	settings = usual();
	settings.limits.attempts = 6;
}

static void
start(void)
{
	source = random_from(1);
	forecast = forecast_start(
	    &settings, INT64_MAX, &source, histories, histories_count);
}

static void
range_is(int64_t low_ns, int64_t high_ns, const char *what)
{
	ok(forecast_next(&forecast), what);
	is_int(forecast.row.pause.low_ns, low_ns, "  from");
	is_int(forecast.row.pause.high_ns, high_ns, "  to");
}

static void
row_is(int64_t low_ns, int64_t mean_ns, int64_t high_ns, const char *what)
{
	range_is(low_ns, high_ns, what);
	is_int(forecast.row.mean_ns, mean_ns, "  in the mean");
}

static void
total_is(int64_t earliest_ns, int64_t mean_ns, int64_t latest_ns)
{
	is_int(forecast.row.start.low_ns, earliest_ns, "  earliest");
	is_int(forecast.row.mean_total_ns, mean_ns, "  mean total");
	is_int(forecast.row.start.high_ns, latest_ns, "  latest");
}

TEST(formulas)
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
TEST(cap)
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
TEST(memory)
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

/* The first pauses fit; then all of the room is used, or its upper half. */
TEST(deadline)
{
	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.limits.attempts = INT64_MAX;
	settings.limits.deadline_ns = 10 * S;
	start();
	row_is(S, S, S, "1 s of 9");
	row_is(3 * S, 3 * S, 3 * S, "3 s of 8");
	row_is(5 * S, 5 * S, 5 * S, "the last one is what is left");
	total_is(9 * S, 9 * S, 9 * S);
	ok(forecast.row.certain, "in all histories");
	ok(!forecast_next(&forecast), "then there is no time for another");
	ok(forecast_outlasts(&forecast, 9 * S) == 1, "so long it lasts");
	ok(forecast_outlasts(&forecast, 9 * S + 1) == 0, "and no longer");

	settings.limits.deadline_ns = DURATION_INF;
	forecast
	    = forecast_start(&settings, 10 * S, &source, histories, HISTORIES);
	row_is(S, S, S, "with --until there: 1 s");
	row_is(3 * S, 3 * S, 3 * S, "3 s");
	row_is(5 * S, 5 * S, 5 * S, "what is left");

	settings.policy.growth = GROWTH_CONSTANT;
	settings.limits.deadline_ns = 3 * S / 2;
	start();
	row_is(S, S, S, "the first");
	row_is(350 * MS, 350 * MS, 350 * MS, "the rest of the room");

	settings.policy.jitter.kind = JITTER_FULL;
	settings.policy.growth = GROWTH_EXPONENTIAL;
	settings.limits.deadline_ns = 10 * S;
	start();
	row_is(100 * MS, 550 * MS, S, "drawn, 1");
	row_is(100 * MS, 1550 * MS, 3 * S, "2");
	/* At 0.2 to 4 s, 9 s do not fit: room is 5 to 8.8 s. */
	range_is(2500 * MS, 8800 * MS, "3");
	is_int(forecast.row.start.low_ns, 4600 * MS, "  earliest");
	is_int(forecast.row.start.high_ns, 9 * S, "  latest");
	/* It goes on while there is room for 1 s. */
	range_is(500 * MS, 4400 * MS, "4");
	is_int(forecast.row.start.low_ns, 6800 * MS, "  earliest");
}

/* The pause fits in some histories and not in others. */
TEST(partly_cut)
{
	reset();
	settings.policy.base_ns = 6 * S;
	settings.policy.floor_ns = 3 * S;
	settings.policy.growth = GROWTH_CONSTANT;
	settings.limits.deadline_ns = 20 * S;
	start();
	row_is(3 * S, 4500 * MS, 6 * S, "6 s of 19");
	row_is(3 * S, 4500 * MS, 6 * S, "6 s of 13 to 16");
	/* Room is 7 to 13 s. */
	row_is(3 * S, 4500 * MS, 6 * S, "the last one that always fits");
	/* Room is 1 to 10 s; from 2 s on there is another attempt. */
	range_is(S, 6 * S, "one that fits in some histories");
	is_int(forecast.row.start.low_ns, 12 * S, "  no sooner than the floor");
	is_int(forecast.row.start.high_ns, 19 * S, "  the reserve is kept");
	ok(!forecast.row.certain, "  and in some there is none");
}

TEST(splay)
{
	reset();
	settings.limits.deadline_ns = 10 * S;
	settings.limits.attempts = INT64_MAX;
	settings.limits.splay = (struct range) { 0, 100 * S };
	start();
	ok(forecast_outlasts(&forecast, 9 * S + 1) == 0,
	    "the splay ends before the reserve");
	ok(forecast_outlasts(&forecast, 4499 * MS) == 1,
	    "and does not begin before the middle of the room");
	ok(fabs(forecast_outlasts(&forecast, 6750 * MS) - .5) < .05,
	    "it is drawn, not cut off");
}

TEST(end)
{
	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.policy.growth = GROWTH_CONSTANT;
	settings.limits.attempts = INT64_MAX;
	settings.limits.deadline_ns = 5 * S;
	start();
	while (forecast_next(&forecast))
		;
	ok(!forecast_next(&forecast), "over is over");
	is_int(forecast.draws, 5 * HISTORIES, "and nothing is drawn then");
}

/* Whether a run of the loop has an attempt at OUTAGE_NS or later. */
static double
simulated_chance(int64_t outage_ns)
{
	struct random random = random_from(99);
	int64_t outlasted = 0;

	for (int run = 0; run < 10000; run++) {
		struct stage stage = { .down_ns = outage_ns };

		stage_run(&stage, &settings, &random);
		outlasted += stage.ending.result == RESULT_SUCCESS;
	}
	return (double)outlasted / 10000;
}

/* The chances that are forecast are those of 10,000 runs of the loop. */
static void
chances_are_true(const char *what)
{
	static const int64_t outages_ns[]
	    = { S, 8 * S, 8500 * MS, 10 * S, 40 * S, 57 * S };
	double worst = 0;

	start();
	while (forecast_next(&forecast))
		;
	for (size_t i = 0; i < sizeof outages_ns / sizeof *outages_ns; i++) {
		double off = fabs(forecast_outlasts(&forecast, outages_ns[i])
		    - simulated_chance(outages_ns[i]));

		worst = off > worst ? off : worst;
	}
	ok(worst < .02, what);
	printf("# off by %.4f\n", worst);
}

TEST(chances)
{
	static const enum jitter_kind kinds[] = { JITTER_NONE, JITTER_FULL,
		JITTER_EQUAL, JITTER_DECORRELATED, JITTER_SMOOTH };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		reset();
		settings.policy.jitter.kind = kinds[i];
		chances_are_true("chances of 6 attempts");
		settings.limits.attempts = INT64_MAX;
		settings.limits.deadline_ns = 10 * S;
		chances_are_true("chances of -T 10s");
		settings.limits.deadline_ns = 60 * S;
		settings.limits.splay.high_ns = 20 * S;
		chances_are_true("chances of -T 1m --splay=20s");
		settings.limits.attempts = 6;
		chances_are_true("chances of -T 1m --splay=20s -n 6");
	}
}

/* Whether a pause, start or attempt of RUNS runs is none of these rows. */
static bool
loop_is_outside(
    const struct forecast_row *rows, int count, struct random *random)
{
	int64_t most = 0;
	bool outside = false;

	for (int run = 0; run < RUNS; run++) {
		struct stage stage = { .down_ns = INT64_MAX };

		stage_run(&stage, &settings, random);
		most = max_ns(most, stage.attempts);
		for (int i = 0; i + 1 < stage.attempts; i++) {
			int64_t ns = stage.at_ns[i + 1] - stage.at_ns[i];

			outside |= i >= count || ns < rows[i].pause.low_ns
			    || ns > rows[i].pause.high_ns
			    || stage.at_ns[i + 1] < rows[i].start.low_ns
			    || stage.at_ns[i + 1] > rows[i].start.high_ns;
		}
	}
	return outside || (count < ROWS && most < count);
}

/* No pause of the loop is outside the forecast. */
static bool
comes_true(uint64_t seed)
{
	struct random random = random_from(seed);
	struct forecast_row rows[ROWS];
	int count = 0;
	bool outside;

	settings = any_settings(&random);
	settings.policy.factor = 1 + random_unit(&random) * 2;
	settings.limits.attempts = random_between(&random, 2, 9);
	start();
	while (count < ROWS && forecast_next(&forecast))
		rows[count++] = forecast.row;
	outside = loop_is_outside(rows, count, &random);
	for (int i = 0; i < count; i++)
		outside |= rows[i].mean_ns < rows[i].pause.low_ns
		    || rows[i].mean_ns > rows[i].pause.high_ns
		    || rows[i].mean_total_ns < rows[i].start.low_ns
		    || rows[i].mean_total_ns > rows[i].start.high_ns;
	return !outside;
}

TEST(loop)
{
	int64_t wrong = -1;

	/* Only the ranges matter. */
	histories_count = 256;
	for (uint64_t seed = 1; seed <= 200; seed++)
		if (!comes_true(seed))
			wrong = (int64_t)seed;
	is_int(wrong, -1, "the loop stays within what is forecast");
}
