/* SPDX-License-Identifier: MIT */
/*
 * Compares simulated outages with another simulator and with the loop.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/simulation/simulation.h"
#include "unit/stage.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define MOST 1000
#define BUCKETS 1024

static struct settings settings;
static struct simulated_client clients[MOST];
static int64_t waits_ns[MOST], counts[BUCKETS];
static struct histogram histogram;
static struct simulation simulation;

/* Full jitter from 1 s on, doubling, up to 20 s; no limits. */
static void
reset(void)
{
	settings = usual();
	settings.policy.factor = 2;
	settings.policy.cap_ns = 20 * S;
	settings.policy.floor_ns = 0;
	settings.limits.hint_max_ns = 3600 * S;
}

static void
start(int64_t count, int64_t down_ns, double capacity, struct random *random)
{
	histogram = histogram_in(counts, BUCKETS, S / 10);
	simulation = (struct simulation) {
		.settings = &settings,
		.service = { .down_ns = down_ns, .capacity = capacity },
		.clients_count = count,
		.clients = clients,
		.waits_ns = waits_ns,
		.histogram = &histogram,
	};
	simulation_start(&simulation, random);
}

static void
simulate(int64_t count, int64_t down_ns, double capacity, uint64_t seed)
{
	struct random random = random_from(seed);

	start(count, down_ns, capacity, &random);
	while (simulation_step(&simulation, 1000))
		;
}

/* How many clients ended with RESULT. */
static int64_t
ended(enum result result)
{
	int64_t count = 0;

	for (int64_t i = 0; i < simulation.clients_count; i++)
		count += clients[i].result == result;
	return count;
}

/* The sum of the waits, in nanoseconds. */
static int64_t
waited(void)
{
	int64_t sum = 0;

	for (int64_t i = 0; i < simulation.served; i++)
		sum += waits_ns[i];
	return sum;
}

/* A row of the table; times in seconds. 0: it has no such figure. */
struct figures {
	double retries; /* per client: attempts after the first */
	double peak;
	double wait, wait_95, last;
};

static void
agrees(double got, double wanted, const char *what)
{
	double apart = got < wanted ? wanted - got : got - wanted;

	if (wanted <= 0)
		return;
	ok(apart <= wanted / 10, what);
	printf("# got %.2f, wanted %.1f\n", got, wanted);
}

static void
down_for(int64_t down_ns, int runs, const char *what, struct figures wanted)
{
	struct random random = random_from(60);
	struct figures got = { 0, 0, 0, 0, 0 };

	for (int i = 0; i < runs; i++) {
		start(1000, down_ns, 100, &random);
		while (simulation_step(&simulation, 1000))
			;
		got.retries += (double)simulation.attempts / 1000 - 1;
		got.peak += (double)simulation.peak;
		got.wait += (double)waited() / (1000 * (double)S);
		got.wait_95
		    += (double)simulation_wait(&simulation, 95) / (double)S;
		got.last
		    += (double)simulation_wait(&simulation, 100) / (double)S;
	}
	agrees(got.retries / runs, wanted.retries, what);
	agrees(got.peak / runs, wanted.peak, "  the same peak");
	agrees(got.wait / runs, wanted.wait, "  the same wait");
	agrees(got.wait_95 / runs, wanted.wait_95, "  95 % so long");
	agrees(got.last / runs, wanted.last, "  and the last");
}

/* What each schedule draws is tested in unit/pause; here, one of each kind. */
TEST(figures)
{
	struct policy *policy = &settings.policy;

	reset();
	down_for(
	    60 * S, 10, "full", (struct figures) { 10.1, 34, 6.8, 15.7, 19.5 });
	policy->jitter.kind = JITTER_NONE;
	down_for(
	    60 * S, 1, "none", (struct figures) { 11.5, 1000, 101, 191, 191 });
	policy->growth = GROWTH_CONSTANT;
	down_for(60 * S, 1, "each second",
	    (struct figures) { 64.5, 1000, 4.5, 9, 9 });
	policy->cap_mode = CAP_AFTER;
	policy->jitter.kind = JITTER_DECORRELATED;
	down_for(60 * S, 10, "decorrelated, capped after the draw",
	    (struct figures) { 8.9, 35, 8.5, 18.6, 20 });

	reset();
	policy->cap_ns = 60 * S;
	policy->factor = 3;
	down_for(300 * S, 20, "5 minutes, full, by 3",
	    (struct figures) { 14, 21, 20.4, 0, 0 });
}

TEST(conservation)
{
	int64_t attempts = 0;

	reset();
	settings.limits.attempts = 11;
	settings.limits.deadline_ns = 70 * S;
	simulate(1000, 60 * S, 50, 1);
	for (int i = 0; i < 1000; i++)
		attempts += clients[i].attempts;
	is_int(
	    attempts, simulation.attempts, "attempts of all are those of each");
	for (int i = 0; i < BUCKETS; i++)
		attempts -= counts[i];
	is_int(attempts, 0, "  and make the load");
	is_int(ended(RESULT_SUCCESS), simulation.served, "all served are");
	is_int(ended(RESULT_EXHAUSTED) + ended(RESULT_DEADLINE),
	    simulation.gave_up, "and all that gave up");
	is_int(simulation.served + simulation.gave_up, 1000, "nobody is lost");
	ok(simulation.served > 0 && ended(RESULT_EXHAUSTED) > 0
	        && ended(RESULT_DEADLINE) > 0,
	    "  and there are some of each");
}

/* The peak is one of attempts within a tenth of a second, counted from 0. */
TEST(peaks)
{
	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.policy.growth = GROWTH_CONSTANT;
	simulate(20, 0, 1, 1);
	is_int(simulation.peak_after_0, 19, "all but the one served at 0");
	is_int(simulation.peak, 15, "  but after 5 s they are fewer");
	simulate(4, 0, 1, 1);
	is_int(simulation.peak, 0, "  or none at all");
	settings.policy.base_ns = S / 40;
	simulate(10, S, 1000, 1);
	is_int(
	    simulation.peak_after_0, 40, "four times in a tenth of a second");
	settings.limits.splay = (struct range) { S / 2, S / 2 };
	settings.policy.base_ns = 7 * S;
	simulate(10, S, 1000, 1);
	is_int(simulation.peak_after_0, 10, "a splay is after 0");
}

/* Clients that come every second, or all the time, use the full capacity. */
TEST(capacity)
{
	int64_t seconds[300] = { 0 };
	int64_t most = 0;

	reset();
	settings.policy.jitter.kind = JITTER_NONE;
	settings.policy.growth = GROWTH_CONSTANT;
	simulate(100, 60 * S, 2.5, 1);
	is_int(
	    simulation_wait(&simulation, 100), 39 * S, "100 at 2.5 a second");
	is_int(simulation_wait(&simulation, 3), 0, "  3 in the first");
	is_int(simulation_wait(&simulation, 4), S, "  2 in the next");
	/* All come in odd seconds, after the first pause. */
	settings.policy.base_ns = 20 * S;
	settings.limits.attempts = 20;
	simulate(10, 59 * S, 0.5, 1);
	is_int(simulation.served, 10, "who comes after two seconds is served");
	is_int(simulation_wait(&simulation, 100), 181 * S, "  one each time");
	settings.policy.base_ns = S;
	settings.limits.attempts = INT64_MAX;
	simulate(10, 0, 1, 1);
	is_int(simulation_wait(&simulation, 100), 9 * S, "without an outage");
	is_int(waited(), 45 * S, "  all waited so long");
	is_int(simulation.attempts, 55, "  there is a herd all the same");
	simulate(1, 60 * S, 1, 1);
	is_int(simulation.attempts, 61, "the moment that it is back is served");
	simulate(1, 60 * S + 1, 1, 1);
	is_int(simulation.attempts, 62, "  the one before is not");

	reset();
	settings.policy.cap_ns = S;
	simulate(1000, S / 3, 9.9, 1);
	is_int(simulation.served, 1000, "all are served at last");
	for (int i = 0; i < 1000; i++)
		seconds[waits_ns[i] / S]++;
	for (int i = 0; i < 300; i++)
		most = max_ns(most, seconds[i]);
	is_int(most, 10, "but never more than there is");
	ok(waits_ns[0] >= 0, "and nobody before there was any");
}

TEST(waits)
{
	bool ascending = true;

	reset();
	settings.limits.attempts = 1;
	simulate(10, 60 * S, 100, 1);
	is_int(ended(RESULT_EXHAUSTED), 10, "one attempt is not enough");
	is_int(simulation_wait(&simulation, 95), 0, "  and nobody waited");

	reset();
	simulate(11, 60 * S, 10, 1);
	for (int i = 1; i < 11; i++)
		ascending = ascending && waits_ns[i] >= waits_ns[i - 1];
	ok(ascending, "waits ascend");
	is_int(
	    simulation_wait(&simulation, 1), waits_ns[0], "the nearest rank");
	is_int(simulation_wait(&simulation, 50), waits_ns[5], "of half of 11");
	is_int(simulation_wait(&simulation, 100), waits_ns[10], "of all");
}

TEST(determinism)
{
	struct random random = random_from(4);
	int64_t attempts, waited_ns;
	double before = 0;
	bool forward = true;

	reset();
	settings.limits.splay.high_ns = 5 * S;
	simulate(500, 60 * S, 100, 4);
	attempts = simulation.attempts;
	waited_ns = waited();
	simulate(500, 60 * S, 100, 5);
	ok(waited() != waited_ns, "another seed, other waits");

	start(500, 60 * S, 100, &random);
	while (simulation_step(&simulation, 1)) {
		forward = forward && simulation_progress(&simulation) >= before;
		before = simulation_progress(&simulation);
	}
	is_int(simulation.attempts, attempts, "the same seed, the same");
	is_int(waited(), waited_ns, "  in steps of any size");
	ok(forward, "progress goes forward");
	ok(simulation_progress(&simulation) >= 1, "  to its end");
}

/* A schedule that never pauses has no end, unless attempts have. */
TEST(endless)
{
	reset();
	settings.policy.base_ns = 0;
	simulate(10, 60 * S, 100, 1);
	ok(simulation.endless, "no pauses, no end");
	is_int(simulation.queue.now_ns, 0, "  and no time");
	settings.limits.attempts = 5000;
	simulate(10, 60 * S, 100, 1);
	ok(!simulation.endless, "a limit is an end");
	is_int(simulation.attempts, 50000, "  where it is reached");
}

/* Whether a single client does what the loop does, at the same times. */
static bool
like_the_loop(uint64_t seed, int64_t down_ns, enum result *result)
{
	struct random random = random_from(seed), same = random;
	struct stage stage = { .down_ns = down_ns, .takes_ns = 1 };
	bool alike = true, more = true;

	*result = stage_run(&stage, &settings, &random).result;
	start(1, down_ns, 1000, &same);
	while (more) {
		int64_t before = simulation.attempts;

		more = simulation_step(&simulation, 1);
		if (simulation.attempts > before && before < STAGE_ATTEMPTS)
			alike = alike
			    && stage.at_ns[before] == simulation.queue.now_ns;
	}
	return alike && simulation.attempts == stage.attempts
	    && clients[0].result == *result && random.state == same.state;
}

TEST(like_the_loop)
{
	struct random random = random_from(1);
	int64_t results[RESULT_ERROR + 1] = { 0 };
	int differ = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		enum result result;

		settings = any_settings(&random);
		if (!like_the_loop(
		        seed, random_between(&random, 0, 60) * S, &result)
		    && differ++ < 3)
			printf("# seed %" PRIu64 " differs\n", seed);
		results[result]++;
	}
	is_int(differ, 0, "one client does what the loop does");
	ok(results[RESULT_SUCCESS] > 100, "  often with success");
	ok(results[RESULT_EXHAUSTED] > 100, "  often for lack of attempts");
	ok(results[RESULT_DEADLINE] > 100, "  often for lack of time");
}
