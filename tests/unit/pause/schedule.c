/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <math.h>

#include "core/base/base.h"
#include "core/pause/schedule.h"
#include "unit/tap.h"
#include "unit/uniform.h"

#define MS NS_PER_MS
#define S NS_PER_S

static struct policy
policy_of(enum growth growth, int64_t base_ns, double factor)
{
	return (struct policy) {
		.growth = growth,
		.base_ns = base_ns,
		.factor = factor,
		.cap_ns = DURATION_INF,
		.throttle_base_ns = 5 * base_ns,
		.max_exponent = INT64_MAX,
	};
}

TEST(shapes)
{
	static const struct {
		enum growth growth;
		double factor;
		int64_t seconds[7]; /* 0: no more of them */
		const char *what;
	} rows[] = {
		{ GROWTH_EXPONENTIAL, 3, { 1, 3, 9, 27, 81 }, "exponential" },
		{ GROWTH_BINARY, 2, { 1, 3, 7, 15, 31 }, "binary" },
		{ GROWTH_LINEAR, 2, { 1, 2, 3, 4, 5 }, "linear" },
		{ GROWTH_QUADRATIC, 2, { 1, 4, 9, 16, 25 }, "quadratic" },
		{ GROWTH_CUBIC, 2, { 1, 8, 27, 64, 125 }, "cubic" },
		{ GROWTH_FIBONACCI, 2, { 1, 1, 2, 3, 5, 8, 13 }, "fibonacci" },
		{ GROWTH_CONSTANT, 2, { 1, 1, 1 }, "constant" },
	};
	struct policy policy;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		policy = policy_of(rows[i].growth, S, rows[i].factor);
		for (int n = 0; n < 7 && rows[i].seconds[n] > 0; n++)
			is_int(schedule_window(&policy, n + 1),
			    rows[i].seconds[n] * S, rows[i].what);
	}
	policy.delays_ns = (int64_t[]) { 15 * S, 30 * S, 180 * S };
	policy.delays = 3;
	is_int(schedule_window(&policy, 2), 30 * S, "a list");
	is_int(schedule_window(&policy, 3), 180 * S, "  its last one");
	is_int(schedule_window(&policy, 5), 180 * S, "  which is repeated");
}

/* Far beyond what int64 and double hold. */
TEST(extremes)
{
	static const int64_t large[]
	    = { 63, 64, 1024, 1000000, INT64_C(1) << 31, INT64_MAX };
	struct policy policy;

	set_uniform(.5);
	for (int growth = 0; growth <= GROWTH_CONSTANT; growth++)
		for (size_t i = 0; i < ARRAY_LENGTH(large); i++) {
			int64_t window;

			policy = policy_of((enum growth)growth, S, 3);
			window = schedule_window(&policy, large[i]);
			ok(window >= S, "no window overflows");
			policy.base_ns = 0;
			is_int(schedule_window(&policy, large[i]), 0,
			    "base 0 stays 0");
			policy.base_ns = DURATION_INF;
			is_int(schedule_window(&policy, large[i]), DURATION_INF,
			    "the longest base stays so");
		}
	policy = policy_of(GROWTH_EXPONENTIAL, S, 2);
	policy.cap_ns = 60 * S;
	policy.floor_ns = S / 10;
	for (int kind = JITTER_SPREAD; kind <= JITTER_ADD; kind++) {
		struct schedule schedule;

		policy.jitter.kind = (enum jitter_kind)kind;
		policy.jitter.spread_ns = DURATION_INF - 1;
		schedule = schedule_start(&policy, &random_source);
		is_int(schedule_range(&schedule, 1, false).low_ns, S / 10,
		    "centuries of jitter: from the floor");
		is_int(schedule_range(&schedule, 1, false).high_ns, 60 * S,
		    "  to the cap");
	}
	policy = policy_of(GROWTH_EXPONENTIAL, S, 2);
	is_int(schedule_window(&policy, 34), S << 33, "2^33 s is exact");
	is_int(schedule_window(&policy, 35), DURATION_INF, "2^34 s saturates");
	policy.factor = 1;
	is_int(schedule_window(&policy, INT64_C(1) << 31), S,
	    "factor 1 never grows");
	policy.factor = 1e300;
	is_int(schedule_window(&policy, 1024), DURATION_INF,
	    "a huge factor saturates");
	policy = policy_of(GROWTH_LINEAR, 1, 2);
	is_int(schedule_window(&policy, INT64_C(1) << 31), INT64_C(1) << 31,
	    "linear at 2^31");
}

static void
range_is(const struct policy *policy, int64_t n, int64_t low, int64_t high,
    const char *what)
{
	struct schedule schedule = schedule_start(policy, &random_source);
	struct range range = schedule_range(&schedule, n, false);

	is_int(range.low_ns, low, what);
	is_int(range.high_ns, high, what);
	set_uniform(0);
	schedule = schedule_start(policy, &random_source);
	is_int(schedule_draw(&schedule, n, false), low,
	    "  and the least draw is its lower end");
	set_uniform(1);
	schedule = schedule_start(policy, &random_source);
	is_int(schedule_draw(&schedule, n, false), high,
	    "  and the greatest its upper end");
}

TEST(jitter)
{
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, S, 2);

	range_is(&policy, 3, 4 * S, 4 * S, "none");
	policy.jitter.kind = JITTER_FULL;
	range_is(&policy, 3, 0, 4 * S, "full");
	policy.floor_ns = 100 * MS;
	range_is(&policy, 3, 100 * MS, 4 * S, "full above the floor");
	policy.floor_ns = 7 * S;
	range_is(&policy, 3, 7 * S, 7 * S, "an empty range is the floor");
	policy.floor_ns = 0;
	policy.jitter.kind = JITTER_EQUAL;
	range_is(&policy, 3, 2 * S, 4 * S, "equal");
	policy.jitter.kind = JITTER_DECORRELATED;
	range_is(&policy, 3, S, 3 * S, "decorrelated");
	policy.jitter
	    = (struct jitter) { .kind = JITTER_SCALE, .low = .8, .high = 1.2 };
	range_is(&policy, 3, 3200 * MS, 4800 * MS, "scale");
	policy.jitter
	    = (struct jitter) { .kind = JITTER_SPREAD, .spread_ns = S };
	range_is(&policy, 3, 3 * S, 5 * S, "spread");
	range_is(&policy, 1, 0, 2 * S, "spread ends at the floor");
	policy.jitter.kind = JITTER_ADD;
	range_is(&policy, 3, 4 * S, 5 * S, "add");
}

TEST(cap_modes)
{
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, S, 2);

	policy.cap_ns = 6 * S;
	policy.jitter
	    = (struct jitter) { .kind = JITTER_SCALE, .low = .5, .high = 1.5 };
	range_is(&policy, 9, 2 * S, 6 * S, "the window shrinks to the cap");
	range_is(&policy, 3, 2 * S, 6 * S, "just so");
	range_is(&policy, 2, S, 3 * S, "but not below it");
	policy.cap_mode = CAP_BEFORE;
	range_is(&policy, 9, 3 * S, 9 * S, "cap before jitter may exceed it");
	policy.cap_mode = CAP_AFTER;
	range_is(&policy, 3, 2 * S, 6 * S, "cap after jitter clamps");
	range_is(&policy, 9, 6 * S, 6 * S, "and piles up there");
	policy.cap_mode = CAP_WINDOW;
	policy.jitter
	    = (struct jitter) { .kind = JITTER_SPREAD, .spread_ns = S };
	range_is(&policy, 9, 4 * S, 6 * S, "spread below the cap");
	policy.jitter.kind = JITTER_ADD;
	range_is(&policy, 9, 5 * S, 6 * S, "add below the cap");
	policy.jitter.spread_ns = 10 * S;
	range_is(&policy, 9, 0, 6 * S, "a spread wider than the cap");
	policy.cap_ns = 100;
	policy.jitter
	    = (struct jitter) { .kind = JITTER_SCALE, .low = .8, .high = 1.2 };
	range_is(&policy, 9, 66, 100, "it meets the cap to the nanosecond");
	policy.cap_ns = 6 * S;
	policy.base_ns = 20 * S;
	policy.jitter.kind = JITTER_NONE;
	range_is(&policy, 1, 6 * S, 6 * S, "a base above the cap is the cap");
	policy.jitter.kind = JITTER_DECORRELATED;
	range_is(&policy, 1, 6 * S, 6 * S, "decorrelated too");
}

TEST(throttle)
{
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, S, 3);
	struct schedule schedule = schedule_start(&policy, &random_source);
	struct range range;

	policy.jitter.kind = JITTER_FULL;
	range = schedule_range(&schedule, 2, true);
	is_int(range.low_ns, 7500 * MS, "a throttle's lower end is half");
	is_int(range.high_ns, 15 * S, "of its own window");
	policy.cap_ns = 10 * S;
	range = schedule_range(&schedule, 2, true);
	is_int(range.high_ns, 10 * S, "which the cap limits");
	policy.jitter.kind = JITTER_NONE;
	range = schedule_range(&schedule, 1, true);
	is_int(range.low_ns, 5 * S, "without jitter it is exact");
}

/* AWS: 2 3.5 5.75 9.125 14.1875 with u = .5, base 1 s, cap 20 s. */
TEST(decorrelated)
{
	static const int64_t wanted[]
	    = { 2000, 3500, 5750, 9125, 14187, 20000, 20000 };
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, S, 2);
	struct schedule schedule = schedule_start(&policy, &random_source);

	policy.cap_ns = 20 * S;
	policy.cap_mode = CAP_AFTER;
	policy.jitter.kind = JITTER_DECORRELATED;
	set_uniform(.5);
	for (int n = 1; n <= 7; n++)
		is_int(schedule_draw(&schedule, n, false) / MS, wanted[n - 1],
		    "decorrelated, as published");
	schedule = schedule_start(&policy, &random_source);
	is_int(schedule_draw(&schedule, 1, false), 2 * S, "a reset forgets");
	schedule_remember(&schedule, 5 * S);
	is_int(schedule_range(&schedule, 2, false).high_ns, 15 * S,
	    "it goes on from what it is told that was drawn");
	schedule_remember(&schedule, S / 2);
	is_int(schedule_range(&schedule, 2, false).high_ns, 3 * S,
	    "but not below the base");
	policy.cap_mode = CAP_WINDOW;
	schedule = schedule_start(&policy, &random_source);
	for (int n = 1; n <= 6; n++)
		ok(schedule_draw(&schedule, n, false) < 10600 * MS,
		    "the cap inside the draw leaves no pile on it");
}

/* Polly v8, base 1 s. */
TEST(smooth)
{
	static const int64_t half[]
	    = { 897405, 1093004, 2035748, 4045979, 8083632, 16163663 };
	static const int64_t zero[] = { 0, 1377182, 1460067, 2865850, 5717807 };
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, S, 2);
	struct schedule schedule = schedule_start(&policy, &random_source);
	int64_t draw;

	policy.jitter.kind = JITTER_SMOOTH;
	set_uniform(.5);
	for (int n = 1; n <= 6; n++)
		is_between(schedule_draw(&schedule, n, false) / 1000,
		    half[n - 1] - 1, half[n - 1] + 1, "smooth with u = .5");
	schedule = schedule_start(&policy, &random_source);
	set_uniform(0);
	for (int n = 1; n <= 5; n++)
		is_between(schedule_draw(&schedule, n, false) / 1000,
		    zero[n - 1] - 1, zero[n - 1] + 1, "smooth with u = 0");
	policy.cap_ns = 10 * S;
	set_uniform(.5);
	draw = schedule_draw(&schedule, 40, false);
	is_int(draw, 7500 * MS, "beyond the cap: U[cap/2, cap]");
	draw = schedule_draw(&schedule, 5000, false);
	is_int(draw, 7500 * MS, "also where the curve has no number");
	policy.cap_mode = CAP_AFTER;
	schedule = schedule_start(&policy, &random_source);
	draw = schedule_draw(&schedule, 40, false);
	is_int(draw, 10 * S, "or clipped");
}

TEST(slots)
{
	struct policy policy = policy_of(GROWTH_BINARY, 10 * MS, 2);

	policy.slot_ns = 10 * MS;
	policy.jitter.kind = JITTER_FULL;
	range_is(&policy, 3, 0, 70 * MS, "slots, ends included");
	for (int i = 0; i < 100; i++) {
		struct schedule schedule
		    = schedule_start(&policy, &random_source);

		random_source = random_from((uint64_t)i);
		if (schedule_draw(&schedule, 3, false) % policy.slot_ns)
			ok(false, "only whole multiples are drawn");
	}
	policy.base_ns = 4 * MS;
	policy.floor_ns = 1 * MS;
	range_is(&policy, 1, 10 * MS, 10 * MS, "no slot in it: the next one");
	policy.jitter.kind = JITTER_NONE;
	range_is(&policy, 1, 0, 0, "without jitter: the nearest, downwards");
	policy.base_ns = 5 * MS;
	range_is(&policy, 1, 10 * MS, 10 * MS, "and upwards");
}

/* Against libm, which the program does without. */
TEST(power)
{
	double worst = 0;

	for (double t = 0; t < 999; t += 0.37) {
		double wanted = exp2(t) * tanh(sqrt(4 * t));
		double off = wanted == 0 ? polly_curve(t)
		                         : fabs(polly_curve(t) / wanted - 1);

		worst = off > worst ? off : worst;
	}
	ok(worst < 1e-12, "the curve is that of libm");
	worst = 0;
	for (int n = 0; n < 700; n++) {
		double off = fabs(power(1.6, n) / pow(1.6, n) - 1);

		worst = off > worst ? off : worst;
	}
	ok(worst < 1e-12, "powers are those of libm");
}
