/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/pause/schedule.h"
#include "unit/tap.h"

#define S NS_PER_S
#define NOW (INT64_C(1795261200) * S)

static const struct range usual = { NS_PER_MIN, 60 * NS_PER_MIN };

static struct random source;

/* A run with LIMITS gave up at NOW + AT_NS, and began so long BEFORE_NS. */
static void
gives_up(struct deferral *deferral, struct range limits, int64_t at_ns,
    int64_t before_ns)
{
	const struct run_end end = {
		.result = RESULT_EXHAUSTED,
		.verdict = VERDICT_RETRY,
		.began_ns = NOW + at_ns - before_ns,
		.ended_ns = NOW + at_ns,
		.status = 7,
		.reason = "exit 7\nmore",
	};

	deferral_end(deferral, limits, &end, &source);
}

TEST(windows)
{
	static const struct range endless = { 1, INT64_MAX };
	static const struct range narrow = { 5 * S, 5 * S };
	static const struct {
		const struct range *limits;
		uint32_t failures;
		int64_t window_ns;
	} table[] = {
		{ &usual, 1, NS_PER_MIN },
		{ &usual, 2, 2 * NS_PER_MIN },
		{ &usual, 6, 32 * NS_PER_MIN },
		{ &usual, 7, 60 * NS_PER_MIN },
		{ &usual, 65, 60 * NS_PER_MIN },
		{ &usual, UINT32_MAX, 60 * NS_PER_MIN },
		{ &endless, 63, INT64_C(1) << 62 },
		{ &endless, 64, INT64_MAX },
		{ &endless, 1000000000, INT64_MAX },
		{ &narrow, 1, 5 * S },
		{ &narrow, 9, 5 * S },
	};

	source = random_from(1);
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		struct deferral deferral
		    = { .failures = table[i].failures - 1 };
		int64_t window_ns = table[i].window_ns;

		gives_up(&deferral, *table[i].limits, 0, 0);
		ok(deferral.failures == table[i].failures
		        && deferral.window_ns == window_ns,
		    "a window doubles up to its limit");
		is_between(deferral.until_ns,
		    saturating_add(NOW, window_ns - window_ns / 2),
		    saturating_add(NOW, window_ns),
		    "  and its upper half is drawn from");
	}
}

TEST(draws)
{
	int64_t least_ns = INT64_MAX, most_ns = 0;

	for (int i = 0; i < 200; i++) {
		struct deferral deferral = { 0 };

		gives_up(&deferral, usual, 0, 0);
		least_ns = min_ns(least_ns, deferral.until_ns - NOW);
		most_ns = max_ns(most_ns, deferral.until_ns - NOW);
	}
	ok(least_ns < 31 * S && most_ns > 59 * S,
	    "all of the upper half is drawn from");
}

TEST(wait)
{
	/* At NOW + AT_NS; what is put off until then is to be written. */
	static const struct {
		int64_t at_ns, wait_ns, until_ns;
		const char *what;
	} rows[] = {
		{ 0, 40 * S, 40 * S, "a run is put off" },
		{ 39 * S, S, 40 * S, "  later not for so long" },
		{ 40 * S, 0, 40 * S, "  until its time has come" },
		{ -20 * S, 60 * S, 40 * S,
		    "a clock set back by less than the window is let be" },
		{ -3600 * S, 60 * S, -3540 * S,
		    "one set back by more holds no longer than the window" },
		{ -3560 * S, 20 * S, -3540 * S, "  so that it ends" },
		{ -NOW, 60 * S, 60 * S - NOW, "a clock without a battery" },
	};
	struct deferral none = { .until_ns = NOW + S, .window_ns = S };
	struct deferral deferral = { 0 };

	is_int(deferral_wait(&none, INT64_MAX, NOW), 0, "nothing remembered");
	gives_up(&deferral, usual, 0, 0);
	is_int(deferral.failures, 1, "one run gave up");
	is_string(deferral.reason, "exit 7?more", "  its reason on one line");
	deferral.until_ns = NOW + 40 * S;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		is_int(deferral_wait(&deferral, INT64_MAX, NOW + rows[i].at_ns),
		    rows[i].wait_ns, rows[i].what);
		is_int(
		    deferral.until_ns, NOW + rows[i].until_ns, "  until then");
	}
	deferral.failures = UINT32_MAX;
	gives_up(&deferral, usual, INT64_MAX - NOW - S, 0);
	ok(deferral.failures == UINT32_MAX, "the count saturates");
	ok(deferral.until_ns == INT64_MAX, "  as the time does");
}

TEST(overlap)
{
	struct deferral deferral = { 0 };

	gives_up(&deferral, usual, S, S);
	for (int i = 0; i < 6; i++)
		gives_up(&deferral, usual, 2 * S, 2 * S);
	is_int(deferral.failures, 1, "runs that overlap count once");
	is_int(deferral.window_ns, NS_PER_MIN, "  with that window");
	deferral.until_ns = NOW + 50 * S;
	gives_up(&deferral, usual, 3 * S, 3 * S);
	ok(deferral.until_ns >= NOW + 50 * S, "  never for less than before");
	deferral.until_ns = NOW;
	gives_up(&deferral, usual, 3 * S, 3 * S);
	ok(deferral.until_ns >= NOW + 33 * S, "  but the last one puts off");
	gives_up(&deferral, usual, 50 * S, 49 * S);
	is_int(deferral.failures, 2, "one that began after it counts");
	gives_up(&deferral, usual, S - NOW, S);
	is_int(deferral.failures, 3, "a clock set back makes no overlap");
}

TEST(own_high)
{
	struct deferral deferral = { .failures = 9,
		.until_ns = NOW + 1000000 * S,
		.window_ns = 2000000 * S };

	is_int(deferral_wait(&deferral, 2 * S, NOW), 2 * S,
	    "a record of others holds no longer than the own limit");
	ok(deferral.until_ns == NOW + 2 * S,
	    "  from now on, and that is to be written");
	is_int(deferral_wait(&deferral, 2 * S, NOW + 2 * S), 0,
	    "  so that it ends");
}

/* What an end means for the next runs. */
TEST(ends)
{
	struct deferral saturated = { 0 };
	static const struct {
		enum result result;
		enum verdict verdict;
		uint32_t failures, runs; /* of 3 and 2 */
	} table[] = {
		{ RESULT_SUCCESS, VERDICT_SUCCESS, 0, 0 },
		{ RESULT_PASS, VERDICT_PASS, 0, 0 },
		{ RESULT_STOPPED, VERDICT_STOP, 0, 3 },
		{ RESULT_STOPPED, VERDICT_RETRY, 4, 3 },
		{ RESULT_EXHAUSTED, VERDICT_RETRY, 4, 3 },
		{ RESULT_EXHAUSTED, VERDICT_THROTTLE, 4, 3 },
		{ RESULT_DEADLINE, VERDICT_RETRY, 4, 3 },
		{ RESULT_DEADLINE, VERDICT_NONE, 3, 3 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		struct deferral deferral = { .failures = 3,
			.until_ns = NOW,
			.runs = 2,
			.since_ns = NOW - S };
		const struct run_end end = { .result = table[i].result,
			.verdict = table[i].verdict,
			.began_ns = NOW + S,
			.ended_ns = NOW + 2 * S,
			.reason = "" };

		deferral_end(&deferral, usual, &end, &source);
		is_int(deferral.failures, table[i].failures, "failures");
		is_int(deferral.runs, table[i].runs, "  runs that gave up");
		ok((deferral.until_ns != 0) == (table[i].failures != 0),
		    "  who forgets puts off nobody");
		ok(deferral.since_ns == NOW - S,
		    "  a row is told by its first");
		ok(deferral_gave_up(end.result) == (table[i].runs != 0),
		    "  these gave up");
	}
	saturated.runs = UINT32_MAX;
	gives_up(&saturated, usual, 0, 0);
	ok(saturated.runs == UINT32_MAX, "a row of runs saturates");
	ok(!deferral_gave_up(RESULT_INTERRUPTED)
	        && !deferral_gave_up(RESULT_ERROR)
	        && !deferral_gave_up(RESULT_DEFERRED),
	    "who was told to end has not given up");
}
