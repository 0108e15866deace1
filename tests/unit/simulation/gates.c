/* SPDX-License-Identifier: MIT */
/*
 * Clients that share a gate, second by second: backoff-herd prints means.
 */
#include <config.h>

#include <stdlib.h>

#include "core/base/base.h"
#include "core/simulation/simulation.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define CLIENTS 2000
#define MACHINES 20
#define SECONDS 1200
#define DOWN 600
#define CAPACITY 100

static struct settings settings;
static struct simulated_client clients[CLIENTS];
static struct gate machines[MACHINES];
static int64_t waits_ns[CLIENTS], buckets[2 * SECONDS], seconds[SECONDS];

/* Plays SIMULATION, of which this is the same for all. */
static struct simulation
play(struct simulation simulation, uint64_t seed)
{
	struct random random = random_from(seed);

	simulation.settings = &settings;
	simulation.clients = clients;
	simulation.waits_ns = waits_ns;
	simulation.machines = machines;
	simulation_start(&simulation, &random);
	for (int i = 0; i < 10000 && simulation_step(&simulation, 1000); i++)
		;
	return simulation;
}

/* All clients, and their attempts in each second in SECONDS. */
static struct simulation
simulate(double capacity, int64_t count, bool fleet, uint64_t seed)
{
	struct histogram histogram
	    = histogram_in(buckets, 2 * SECONDS, NS_PER_S);
	struct simulation simulation = {
		.service = { .down_ns = DOWN * NS_PER_S, .capacity = capacity },
		.clients_count = CLIENTS,
		.histogram = &histogram,
		.machines_count = count,
		.fleet = fleet,
	};

	simulation = play(simulation, seed);
	histogram_columns(&histogram, NS_PER_S, seconds, SECONDS);
	return simulation;
}

static int64_t
most_of(int from, int to)
{
	int64_t most = 0;

	for (int i = from; i < to; i++)
		most = max_ns(most, seconds[i]);
	return most;
}

static int64_t
sum_of(int from, int to)
{
	int64_t sum = 0;

	for (int i = from; i < to; i++)
		sum += seconds[i];
	return sum;
}

/*
 * A quota for each second, which the pace meets again and again; and more than
 * a pace of 256 a second could ask for.
 */
TEST(uses_what_there_is)
{
	struct simulation simulation;

	settings = usual();
	simulation = simulate(65, 1, false, 1);
	is_int(simulation.served, CLIENTS, "a quota: all are served");
	is_between(simulation_wait(&simulation, 100), 30 * NS_PER_S,
	    60 * NS_PER_S, "... the gate does not shut for it again");
	is_between(
	    simulation.refused, 1, CLIENTS * 40 / 100, "... few are refused");
	simulation = simulate(10000, 1, false, 1);
	is_int(simulation.refused, 0, "a strong service refuses nobody");
	is_between(simulation_wait(&simulation, 100), 8 * NS_PER_S,
	    22 * NS_PER_S, "... and has served all soon");
}

/* Each machine has its prober, or the fleet has one. */
TEST(shares_a_gate)
{
	struct simulation simulation;

	settings = usual();
	simulation = simulate(CAPACITY, MACHINES, true, 1);
	is_int(simulation.served, CLIENTS, "a fleet: all are served");
	is_between(sum_of(10, DOWN), (DOWN - 10) / 6, (DOWN - 10) / 4,
	    "... one of all machines probes, once in five seconds");
	is_between(most_of(DOWN, SECONDS), CAPACITY, 3 * CAPACITY,
	    "... they have one pace together");
	simulation = simulate(CAPACITY, MACHINES, false, 1);
	is_int(simulation.served, CLIENTS, "gates of their own: all served");
	is_between(sum_of(10, DOWN), MACHINES * (DOWN - 10) / 6,
	    MACHINES * (DOWN - 10) / 4, "... as many probe as there are");
}

/* The gate paces them: a probe that fails makes no window grow. */
TEST(keeps_windows)
{
	int64_t most = 0;

	settings = usual();
	settings.limits.deadline_ns = NS_PER_MIN;
	simulate(CAPACITY, 1, false, 1);
	for (int i = 0; i < CLIENTS; i++)
		most = max_ns(most, clients[i].failures);
	is_int(most, 1, "who probes has failed once, as far as its pauses go");
}

/* By the loop's rules a first failure counts for the windows, also a probe's.
 */
TEST(counts_first_failures)
{
	int64_t tried = 0, failed = 0, uncounted = 0;

	settings = usual();
	settings.limits.deadline_ns = 2 * NS_PER_MIN;
	settings.limits.splay = (struct range) { 0, NS_PER_MIN };
	simulate(CAPACITY, 1, false, 1);
	for (int i = 0; i < CLIENTS; i++) {
		tried += clients[i].verdict != VERDICT_NONE;
		failed += clients[i].failures > 0;
		uncounted += clients[i].verdict != VERDICT_NONE
		    && clients[i].attempts == 0;
	}
	is_int(
	    failed, tried, "who has failed has failed once, also as a probe");
	ok(uncounted > 3, "... which counts for no default --attempts");
	settings.limits.attempts = 1;
	settings.limits.attempts_given = true;
	simulate(CAPACITY, 1, false, 1);
	uncounted = 0;
	for (int i = 0; i < CLIENTS; i++)
		uncounted += clients[i].verdict != VERDICT_NONE
		    && clients[i].attempts == 0;
	is_int(uncounted, 0, "... but for one that was given");
}

/* A machine is one run to the fleet: it may be the one that is broken. */
TEST(takes_two_machines)
{
	struct simulation simulation;

	settings = usual();
	settings.limits.deadline_ns = NS_PER_MIN;
	simulation = simulate(CAPACITY, 1, true, 1);
	is_between(sum_of(10, DOWN), 2 * CLIENTS, 10 * CLIENTS,
	    "one machine alone shuts no gate of a fleet");
	is_int(simulation.gave_up, CLIENTS, "... all pause on their own");
	simulation = simulate(CAPACITY, 2, true, 1);
	is_between(sum_of(10, DOWN), 5, 20, "two shut it");
	is_int(
	    simulation.gave_up, CLIENTS, "... who waits ends at the deadline");
}

#define SEEDS 10

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_of(double *figures)
{
	qsort(figures, SEEDS, sizeof *figures, compare);
	return (figures[SEEDS / 2 - 1] + figures[SEEDS / 2]) / 2;
}

static void
is_at_most(double got, double most, const char *what)
{
	if (!ok(got <= most, what))
		printf("# %.2f, at most %.2f\n", got, most);
}

/*
 * An outage of ten minutes, and then a service that fails at times, or tells
 * who comes too fast: medians. At first it may take 10 s until the next probe.
 */
static void
drains(int64_t count, struct service service, double refused_most)
{
	double ideal = (double)count / service_rate(&service);
	double most = 10 + ideal * (service.failures < 0.2 ? 1.5 : 2.5);
	double last[SEEDS], failed[SEEDS], down = 0;
	char what[80];

	service.down_ns = DOWN * NS_PER_S;
	for (int i = 0; i < SEEDS; i++) {
		struct simulation simulation
		    = play((struct simulation) { .service = service,
		               .clients_count = count,
		               .machines_count = 1 },
		        (uint64_t)i + 1);

		last[i] = simulation.served < count
		    ? 1e9
		    : (double)simulation_wait(&simulation, 100) / NS_PER_S;
		failed[i] = (double)simulation.refused / (double)count;
		down += (double)simulation.down / (DOWN - 1) / SEEDS;
	}
	snprintf(what, sizeof what, "%.0f at %g/s, %g%% fail: the last in time",
	    (double)count, service_rate(&service), service.failures * 100);
	is_at_most(median_of(last), most, what);
	is_at_most(median_of(failed), refused_most,
	    "... few failures for each client");
	is_at_most(down, 0.3, "... few requests a second in the outage");
}

TEST(drain_all)
{
	static const double shares[] = { 0, 0.05, 0.2 };
	static const struct {
		int64_t count;
		double rate;
	} rows[] = { { 2000, 100 }, { 2000, 20 }, { 200, 20 } };

	settings = usual();
	for (size_t row = 0; row < ARRAY_LENGTH(rows); row++) {
		double rate = rows[row].rate;

		for (size_t i = 0; i < ARRAY_LENGTH(shares); i++)
			drains(rows[row].count,
			    (struct service) {
			        .capacity = rate, .failures = shares[i] },
			    2);
		drains(rows[row].count,
		    (struct service) { .limit = rate,
		        .burst = rate,
		        .late_ns = 4 * NS_PER_MS,
		        .retry_after_ns = NS_PER_S },
		    0.5);
	}
}

TEST(comes_back)
{
	settings = usual();
	for (uint64_t seed = 1; seed <= 3; seed++) {
		int64_t served = simulate(CAPACITY, 1, false, seed).served;
		int begin = DOWN;

		is_int(served, CLIENTS, "all are served");
		is_between(
		    seconds[0], CLIENTS, CLIENTS + 3, "first all together");
		is_between(most_of(1, DOWN), 1, 6, "then one at a time probes");
		is_between(sum_of(10, DOWN), (DOWN - 10) / 6, (DOWN - 10) / 4,
		    "once in five seconds");
		is_between(most_of(DOWN, SECONDS), CAPACITY, 3 * CAPACITY,
		    "no second has more than three times what can be served");
		while (begin < SECONDS - 4 && seconds[begin] < 2)
			begin++;
		is_between(begin, DOWN, DOWN + 11, "it is noticed within 10 s");
		ok(seconds[begin] <= 6 && seconds[begin + 1] <= 9
		        && seconds[begin + 2] <= 17 && seconds[begin + 3] <= 33
		        && seconds[begin + 4] > seconds[begin + 1],
		    "they come ever faster");
	}
}
