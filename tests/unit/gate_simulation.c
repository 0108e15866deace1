/* SPDX-License-Identifier: MIT */
/*
 * Clients that share a gate, second by second: backoff-herd prints means.
 */
#include <config.h>

#include "core/simulation.h"
#include "tap.h"
#include "unlimited.h"

#define CLIENTS 2000
#define MACHINES 20
#define SECONDS 1200
#define DOWN 600
#define CAPACITY 100

static struct simulated_client clients[CLIENTS];
static struct simulated_gate machines[MACHINES];
static int64_t waits_ns[CLIENTS], buckets[2 * SECONDS], seconds[SECONDS];

static struct settings
usual(void)
{
	return (struct settings) {
		.policy = {
			.base_ns = NS_PER_S,
			.factor = 3,
			.cap_ns = NS_PER_MIN,
			.floor_ns = NS_PER_S / 10,
			.jitter.kind = JITTER_FULL,
			.max_exponent = INT64_MAX,
		},
		.limits = unlimited(),
	};
}

/* All clients, and their attempts in each second in SECONDS. */
static struct simulation
simulate_machines(const struct settings *settings, double capacity,
    uint64_t seed, int64_t count, bool fleet)
{
	struct random random = random_from(seed);
	struct histogram histogram
	    = histogram_in(buckets, 2 * SECONDS, NS_PER_S);
	struct simulation simulation = {
		.settings = settings,
		.service = { DOWN * NS_PER_S, capacity },
		.clients_count = CLIENTS,
		.clients = clients,
		.waits_ns = waits_ns,
		.histogram = &histogram,
		.peak_from_ns = 5 * NS_PER_S,
		.machines = machines,
		.machines_count = count,
		.fleet = fleet,
	};

	simulation_start(&simulation, &random);
	while (simulation_step(&simulation, 1000))
		;
	histogram_columns(&histogram, SECONDS * NS_PER_S, seconds, SECONDS);
	return simulation;
}

static struct simulation
simulate(const struct settings *settings, double capacity, uint64_t seed)
{
	return simulate_machines(settings, capacity, seed, 1, false);
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

static void
comes_back(uint64_t seed)
{
	struct settings settings = usual();
	struct simulation simulation = simulate(&settings, CAPACITY, seed);
	int begin = DOWN;

	is_int(simulation.served, CLIENTS, "all are served");
	is_between(seconds[0], CLIENTS, CLIENTS + 3, "first all together");
	is_between(most_of(1, DOWN), 1, 6, "then one at a time probes");
	is_between(sum_of(10, DOWN), (DOWN - 10) / 6, (DOWN - 10) / 4,
	    "once in five seconds");
	is_between(most_of(DOWN, SECONDS), CAPACITY, 2 * CAPACITY,
	    "no second has more than twice what can be served");
	while (begin < SECONDS - 4 && seconds[begin] < 2)
		begin++;
	is_between(begin, DOWN, DOWN + 11, "it is noticed within 10 s");
	ok(seconds[begin] <= 6 && seconds[begin + 1] <= 9
	        && seconds[begin + 2] <= 17 && seconds[begin + 3] <= 33
	        && seconds[begin + 4] > seconds[begin + 1],
	    "they come ever faster");
}

/* A quota for each second, which the ramp meets again and again. */
static void
does_not_give_way(void)
{
	struct settings settings = usual();
	struct simulation simulation = simulate(&settings, 65, 1);

	is_int(simulation.served, CLIENTS, "a quota: all are served");
	is_between(simulation_wait(&simulation, 100), 30 * NS_PER_S,
	    60 * NS_PER_S, "... the gate does not shut for it again");
	is_between(simulation.refused, 1, 100, "... few are refused");
}

/* More than a ramp of 256 a second could ask for. */
static void
uses_what_there_is(void)
{
	struct settings settings = usual();
	struct simulation simulation = simulate(&settings, 10000, 1);

	is_int(simulation.refused, 0, "a strong service refuses nobody");
	is_between(simulation_wait(&simulation, 100), 8 * NS_PER_S,
	    22 * NS_PER_S, "... and has served all soon");
}

/* Each machine has its prober, or the fleet has one. */
static void
shares_a_gate(void)
{
	struct settings settings = usual();
	struct simulation simulation
	    = simulate_machines(&settings, CAPACITY, 1, MACHINES, true);

	is_int(simulation.served, CLIENTS, "a fleet: all are served");
	is_between(sum_of(10, DOWN), (DOWN - 10) / 6, (DOWN - 10) / 4,
	    "... one of all machines probes, once in five seconds");
	is_between(most_of(DOWN, SECONDS), CAPACITY, 2 * CAPACITY,
	    "... they have one ramp together");
	simulation = simulate_machines(&settings, CAPACITY, 1, MACHINES, false);
	is_int(simulation.served, CLIENTS, "gates of their own: all served");
	is_between(sum_of(10, DOWN), MACHINES * (DOWN - 10) / 6,
	    MACHINES * (DOWN - 10) / 4, "... as many probe as there are");
}

/* A machine is one run to the fleet: it may be the one that is broken. */
static void
takes_two_machines(void)
{
	struct settings settings = usual();
	struct simulation simulation;

	settings.limits.deadline_ns = NS_PER_MIN;
	simulation = simulate_machines(&settings, CAPACITY, 1, 1, true);
	is_between(sum_of(10, DOWN), 2 * CLIENTS, 10 * CLIENTS,
	    "one machine alone shuts no gate of a fleet");
	is_int(simulation.late, CLIENTS, "... all pause on their own");
	simulation = simulate_machines(&settings, CAPACITY, 1, 2, true);
	is_between(sum_of(10, DOWN), 5, 20, "two shut it");
	is_int(simulation.late, CLIENTS, "... who waits ends at the deadline");
}

int
main(void)
{
	shares_a_gate();
	takes_two_machines();
	does_not_give_way();
	uses_what_there_is();
	for (uint64_t seed = 1; seed <= 5; seed++)
		comes_back(seed);
	return done();
}
