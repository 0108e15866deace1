/* SPDX-License-Identifier: MIT */
/*
 * How the time up to a deadline is used: what the loop does over many runs,
 * and at each decision of the rule.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "unit/stage.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define RUNS 100

static struct settings settings;
static struct stage stage, seen;

/* The defaults, with a deadline: full jitter from 1 s on, tripling. */
static void
reset(int64_t deadline_ns)
{
	stage = (struct stage) { .down_ns = INT64_MAX };
	settings = usual();
	settings.limits.deadline_ns = deadline_ns;
	settings.limits.hint_max_ns = 3600 * S;
}

/* The same, of which each pause is exact. */
static void
reset_exact(int64_t deadline_ns)
{
	reset(deadline_ns);
	settings.policy.jitter.kind = JITTER_NONE;
}

static void
run(uint64_t seed)
{
	struct random random = random_from(seed);

	stage_run(&stage, &settings, &random);
}

/* The extremes of RUNS runs. */
struct runs {
	struct range ends; /* when they ended */
	int64_t attempts; /* in all */
	struct range pauses[STAGE_ATTEMPTS];
};

static struct runs
watch(void)
{
	const struct stage fresh = stage;
	struct runs runs = { .ends = { INT64_MAX, 0 } };

	for (int i = 0; i < STAGE_ATTEMPTS; i++)
		runs.pauses[i] = (struct range) { INT64_MAX, -1 };
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		stage = fresh;
		run(seed);
		runs.ends.low_ns = min_ns(runs.ends.low_ns, stage.now_ns);
		runs.ends.high_ns = max_ns(runs.ends.high_ns, stage.now_ns);
		runs.attempts += stage.attempts;
		for (int i = 0; i < stage.attempts && i < STAGE_ATTEMPTS; i++) {
			struct range *range = &runs.pauses[i];
			int64_t ns = stage.pauses_ns[i];

			range->low_ns = min_ns(range->low_ns, ns);
			range->high_ns = max_ns(range->high_ns, ns);
		}
	}
	stage = fresh;
	return runs;
}

/* --- over many runs --- */

/* The figures of the man page for `-T ... false`. */
TEST(averages)
{
	static const struct {
		int64_t deadline_ns, from_ns, to_ns;
		const char *what;
	} table[] = {
		{ 10 * S, 8 * S, 9 * S, "-T 10s ends from 8 to 9 s" },
		{ 2 * S, 1600 * MS, 1800 * MS, "-T 2s from 1.6 to 1.8 s" },
		{ 600 * S, 598 * S, 599 * S, "-T 10m from 598 to 599 s" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		struct runs runs;

		reset(table[i].deadline_ns);
		runs = watch();
		ok(runs.ends.low_ns >= table[i].from_ns
		        && runs.ends.high_ns <= table[i].to_ns,
		    table[i].what);
		if (i == 0)
			is_between(runs.attempts, 46 * RUNS / 10,
			    50 * RUNS / 10, "  after 4.8 attempts");
	}
}

/* --- the reserve --- */

/*
 * The only pause, without jitter, to its end; all begins anew under a deadline
 * of 100 s.
 */
static void
only_pause_is(int64_t wanted_ns, const char *what)
{
	settings.policy.base_ns = 1000 * S;
	settings.policy.cap_ns = DURATION_INF;
	settings.policy.jitter.kind = JITTER_NONE;
	run(1);
	is_int(stage.pauses_ns[0], wanted_ns, what);
	seen = stage;
	reset(100 * S);
}

TEST(reserve)
{
	reset(100 * S);
	only_pause_is(99 * S, "a second is kept back");
	settings.limits.deadline_ns = 5 * S;
	only_pause_is(4500 * MS, "or a tenth, where that is less");

	stage.first_ns = 20 * S;
	only_pause_is(40 * S, "twice what the longest attempt took");
	is_int(seen.attempts, 2, "  for one more");
	stage.first_ns = 400 * MS;
	only_pause_is(98600 * MS, "but a second at least");

	settings.limits.timeout_ns = 30 * S;
	stage.first_ns = 20 * S;
	only_pause_is(50 * S, "never more than --timeout");
	settings.limits.timeout_ns = 30 * S;
	stage.first_ns = 60 * S;
	only_pause_is(40 * S, "once, where the longest timed out");
	stage.silent_ns = 30 * S;
	stage.first_ns = 60 * S;
	only_pause_is(40 * S, "  also for want of output");
	settings.limits.timeout_ns = 100 * MS;
	only_pause_is(99 * S, "a second, however short a timeout is");

	stage.first_ns = 55 * S;
	only_pause_is(-1, "where it needs more than there is: none");
	is_int(seen.now_ns, 55 * S, "  and no time is lost by that");
	ok(seen.ending.result == RESULT_DEADLINE, "  which is the deadline's");

	stage.first_ns = 20 * S;
	stage.hook_ns = 15 * S;
	only_pause_is(40 * S, "a hook changes no pause");
	is_int(seen.at_ns[1], 75 * S, "  but takes of the reserve");
	is_int(seen.attempts, 2, "  what the attempt leaves");

	settings.limits.from_start = true;
	settings.policy.floor_ns = 41 * S;
	stage.first_ns = 20 * S;
	only_pause_is(40 * S, "--from=start, cut: a floor gives way");
}

static void
only_until(int64_t seconds)
{
	settings.limits.deadline_ns = DURATION_INF;
	settings.limits.until_ns = STAGE_EPOCH_NS + seconds * S;
}

TEST(until)
{
	only_until(100);
	only_pause_is(99 * S, "--until keeps a second back");
	only_until(5);
	only_pause_is(4500 * MS, "or a tenth");
	only_until(1000);
	stage.now_ns = 995 * S;
	only_pause_is(4500 * MS, "  of the time from our start");
	only_until(100);
	stage.first_ns = 40 * S;
	only_pause_is(59 * S, "not what an attempt needs: it may finish");
	is_int(seen.now_ns, 99 * S, "  and is the last one");

	settings.limits.until_ns = STAGE_EPOCH_NS + 90 * S;
	only_pause_is(89 * S, "with --deadline: what leaves less");
	settings.limits.until_ns = STAGE_EPOCH_NS + 90 * S;
	stage.first_ns = 20 * S;
	only_pause_is(40 * S, "  by what it keeps back, too");
}

/* --- room or no room --- */

static void
pauses_are(const int64_t *wanted_ns, int count, const char *what)
{
	run(1);
	ok(stage.attempts == count, what);
	for (int i = 0; i < count && i < stage.attempts; i++)
		is_int(stage.pauses_ns[i], wanted_ns[i], "  pause for pause");
}

/* Without jitter, of 10 s, of which a second is kept back. */
TEST(when_to_give_up)
{
	static const struct {
		int64_t base_ns, cap_ns, lasts_ns;
		int64_t attempts, end_ns;
		const char *what;
	} table[] = {
		/* 9 s less nine times 990 ms: a tenth of it is far more. */
		{ 990 * MS, NS_PER_MIN, 0, 10, 8910 * MS,
		    "a room below the first window and a tenth is none" },
		{ 80 * MS, NS_PER_MIN, 0, 113, 8960 * MS,
		    "  but only if it is below both" },
		{ S, 40 * MS, 0, 226, 9 * S,
		    "a base above the cap is the cap" },
		{ 0, NS_PER_MIN, S / 4, 37, 9250 * MS,
		    "base 0 goes on until the reserve is begun" },
	};

	/* 1 and 3 s fit, 9 do not: all of the room. */
	reset_exact(10 * S);
	pauses_are((int64_t[]) { S, 3 * S, 5 * S, -1 }, 4, "to the end");
	ok(stage.ending.no_time, "it is for want of time");
	is_int(stage.now_ns, 9 * S, "  which is not used up");

	/* Room for 9, 5.5 and 2, none of them below a tenth. */
	reset_exact(10 * S);
	settings.policy.growth = GROWTH_CONSTANT;
	settings.policy.base_ns = 3500 * MS;
	pauses_are((int64_t[]) { 3500 * MS, 3500 * MS, 2 * S, -1 }, 4,
	    "a room that is not the first window");

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		reset_exact(10 * S);
		settings.policy.growth = GROWTH_CONSTANT;
		settings.policy.base_ns = table[i].base_ns;
		settings.policy.cap_ns = table[i].cap_ns;
		settings.policy.floor_ns = 0;
		stage.lasts_ns = table[i].lasts_ns;
		run(1);
		is_int(stage.attempts, table[i].attempts, table[i].what);
		is_int(stage.now_ns, table[i].end_ns, "  and then it ends");
		is_int(stage.cut, 0, "  and cuts nothing");
	}
}

TEST(upper_half)
{
	struct runs runs;

	reset(100 * S);
	settings.policy.base_ns = 1000 * S;
	settings.policy.cap_ns = DURATION_INF;
	runs = watch();
	is_between(runs.pauses[0].low_ns, 49500 * MS, 52 * S,
	    "the upper half of the room");
	is_between(runs.pauses[0].high_ns, 97 * S, 99 * S, "  up to its end");

	settings.policy.base_ns = 99 * S;
	settings.policy.floor_ns = S;
	runs = watch();
	is_between(runs.pauses[0].low_ns, S, 4 * S, "what fits is left alone");
	settings.policy.base_ns = 99 * S + 1;
	runs = watch();
	is_between(runs.pauses[0].low_ns, 49500 * MS, 52 * S, "or does not");

	settings.policy.floor_ns = 98 * S;
	settings.policy.cap_ns = 98 * S;
	settings.policy.base_ns = S;
	runs = watch();
	is_int(runs.pauses[0].low_ns, 98 * S, "a floor that fits");
	settings.policy.floor_ns = settings.policy.cap_ns = 100 * S;
	runs = watch();
	is_between(
	    runs.pauses[0].low_ns, 49500 * MS, 52 * S, "a floor gives way");

	reset_exact(100 * S);
	settings.policy.base_ns = 59 * S;
	settings.policy.slot_ns = 60 * S;
	pauses_are((int64_t[]) { 60 * S, 39 * S, -1 }, 3, "a slot gives way");
}

TEST(decorrelated)
{
	struct loop_state state = { .verdict = VERDICT_RETRY };
	struct random random = random_from(1);
	struct pause_context context = {
		.settings = &settings,
		.state = &state,
		.failures = 1,
		.until_in_ns = INT64_MAX,
	};
	struct schedule schedule;
	struct pause pause;
	struct runs runs;

	reset(10 * S);
	settings.policy.jitter.kind = JITTER_DECORRELATED;
	settings.policy.base_ns = 4 * S;
	settings.policy.throttle_base_ns = 50 * S;
	schedule = schedule_start(&settings.policy, &random);
	pause = next_pause(&context, &schedule);
	is_between(pause.ns, 4500 * MS, 9 * S, "decorrelated, cut");
	is_int(schedule.previous_ns, pause.ns, "  is the previous pause then");
	state.verdict = VERDICT_THROTTLE;
	next_pause(&context, &schedule);
	is_int(schedule.previous_ns, pause.ns, "  a throttled one is not");

	/* From 1 s to three times what was drawn, of 4 s and more. */
	reset(10 * S);
	settings.policy.jitter.kind = JITTER_DECORRELATED;
	settings.policy.base_ns = 4 * S;
	stage.asks = VERDICT_NONE;
	runs = watch();
	is_between(runs.pauses[0].low_ns, 4500 * MS, 5 * S, "cut to 9 s");
	/* What is left is at most 4.5 s, and thrice the last is more. */
	is_between(runs.pauses[1].high_ns, 2 * S, 4500 * MS, "  and again");
}

/* All draws at the end of the room would be a herd of their own. */
TEST(throttle)
{
	struct runs runs;

	reset(10 * S);
	settings.policy.throttle_base_ns = 50 * S;
	stage.asks = VERDICT_THROTTLE;
	runs = watch();
	is_between(runs.pauses[0].low_ns, 4500 * MS, 5 * S,
	    "a throttled pause in the upper half");
	is_between(
	    runs.pauses[0].high_ns, 8500 * MS, 9 * S, "  and all over it");
}

TEST(streak)
{
	reset_exact(10 * S);
	settings.limits.consecutive = 3;
	settings.policy.base_ns = 20 * S;
	stage.successes = 2;
	pauses_are((int64_t[]) { 9 * S, -1 }, 2,
	    "the pause in a streak is cut as well");
	ok(stage.ending.status == 1, "  and broken by want of time");
}

TEST(splay)
{
	struct range first = { INT64_MAX, 0 };

	for (uint64_t seed = 0; seed < RUNS; seed++) {
		reset(10 * S);
		settings.limits.splay = (struct range) { 20 * S, 50 * S };
		run(seed);
		first.low_ns = min_ns(first.low_ns, stage.at_ns[0]);
		first.high_ns = max_ns(first.high_ns, stage.at_ns[0]);
	}
	is_between(first.low_ns, 4500 * MS, 5 * S,
	    "a splay beyond the room: from its upper half");
	is_between(first.high_ns, 8500 * MS, 9 * S, "  up to its end");
	reset(10 * S);
	settings.limits.splay = (struct range) { 9 * S, 9 * S };
	run(1);
	is_int(stage.at_ns[0], 9 * S, "one that fits is left alone");
}

/* --- hints --- */

static void
ask_for(int64_t ns)
{
	stage.hint.has_wait = true;
	stage.hint.wait_ns = ns;
}

/* Of 10 s, or what is left of them when the first attempt took so long. */
TEST(hints)
{
	static const struct {
		int64_t first_ns, asked_ns;
		bool followed, too_long;
		const char *what;
	} table[] = {
		{ 0, 9 * S, true, true, "a hint that just fits is followed" },
		{ 0, 9 * S + 1, false, true,
		    "one that reaches into the reserve is not" },
		{ 3 * S, S, true, true, "the reserve is that of the attempts" },
		{ 3 * S, S + 1, false, true, "  of twice the longest of them" },
		{ 9500 * MS, 0, false, false,
		    "no time, whatever was asked for" },
		{ 9500 * MS, S, false, true,
		    "where both are so, what was asked for is what is told" },
	};
	struct runs runs;

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		reset(10 * S);
		stage.first_ns = table[i].first_ns;
		ask_for(table[i].asked_ns);
		run(1);
		is_int(stage.pauses_ns[0],
		    table[i].followed ? table[i].asked_ns : -1, table[i].what);
		is_int(stage.attempts, table[i].followed ? 2 : 1,
		    "  and at once where it is not");
		ok(stage.ending.result == RESULT_DEADLINE,
		    "  as past the deadline");
		ok(stage.ending.no_time, "  for want of time");
		ok(stage.ending.asked_too_long == table[i].too_long,
		    "  which is told");
	}

	/* Room of 9 s: 8.5 s, and as much of the base on top as there is. */
	reset(10 * S);
	ask_for(8500 * MS);
	runs = watch();
	is_between(runs.pauses[0].low_ns, 8500 * MS, 8550 * MS, "the jitter");
	is_between(
	    runs.pauses[0].high_ns, 8950 * MS, 9 * S, "  ends with the room");
}
