/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/random.h"
#include "herd/scenario.h"

/* Attempts simulated between two looks at the clock: a few milliseconds. */
#define STEP 50000

/* Attempts of a run: a minute or two. */
#define MOST INT64_C(1000000000)
#define MOST_TEXT "it takes more than 1000000000 attempts"

/* Sums over the runs. */
struct sums {
	double attempts, peak_after_0, peak, gave_up, ends_ns;
	double down, refused;
	double waits_ns, served;
	double waits_95_ns, lasts_ns, runs_served;
};

static void
add_run(struct sums *sums, const struct simulation *simulation)
{
	sums->attempts += (double)simulation->attempts;
	sums->peak_after_0 += (double)simulation->peak_after_0;
	sums->peak += (double)simulation->peak;
	sums->down += (double)simulation->down;
	sums->refused += (double)simulation->refused;
	sums->gave_up += (double)(simulation->exhausted + simulation->late);
	sums->ends_ns += (double)simulation->queue.now_ns;
	if (simulation->served == 0)
		return;
	/* A double, because the sum may exceed the 292 years of an int64_t. */
	for (int64_t i = 0; i < simulation->served; i++)
		sums->waits_ns += (double)simulation->waits_ns[i];
	sums->served += (double)simulation->served;
	sums->waits_95_ns += (double)simulation_wait(simulation, 95);
	sums->lasts_ns += (double)simulation_wait(simulation, 100);
	sums->runs_served++;
}

static struct figures
means(const struct sums *sums, double runs, const struct herd *herd)
{
	double clients = (double)herd->clients;
	double down_ns = (double)(herd->outage_ns - NS_PER_S);
	double attempts = sums->attempts / runs / clients;
	struct figures figures = {
		.retries = attempts > 1 ? attempts - 1 : 0,
		.peak_after_0 = sums->peak_after_0 / runs,
		.peak = sums->peak / runs,
		.gave_up = sums->gave_up / runs,
		.refused = sums->refused / runs,
		.end_ns = sums->ends_ns / runs,
		.served = sums->served > 0,
	};

	figures.down_rate = down_ns > 0
	    ? sums->down / runs / (down_ns / (double)NS_PER_S)
	    : -1;
	if (figures.served) {
		figures.wait_ns = sums->waits_ns / sums->served;
		figures.wait_95_ns = sums->waits_95_ns / sums->runs_served;
		figures.last_ns = sums->lasts_ns / sums->runs_served;
	}
	return figures;
}

/* With pauses of 0 the simulation never ends; one client shows that soon. */
static bool
pauses_are_0(struct simulation simulation, uint64_t seed)
{
	struct random random = random_from(seed);

	simulation.clients_count = 1;
	simulation.service = (struct service) { 1, 1 };
	simulation.histogram = NULL;
	simulation_start(&simulation, &random);
	simulation_step(&simulation, 10000);
	return simulation.endless;
}

int64_t
scenario_runs(const struct settings *settings, int64_t wanted)
{
	struct range splay = settings->limits.splay;

	return settings->policy.jitter.kind == JITTER_NONE
	        && splay.low_ns == splay.high_ns
	    ? 1
	    : wanted;
}

/* How many have a gate: all, or none. */
static int64_t
machines_of(const struct scenario *scenario, const struct herd *herd)
{
	return scenario->gate == HERD_NO_GATE ? 0 : herd->machines;
}

void
scenario_run(struct scenario *scenario, const struct herd *herd, uint64_t seed,
    const struct scenario_memory *room, struct progress *progress)
{
	struct random random = random_from(seed);
	struct simulation simulation = {
		.settings = &scenario->settings,
		.service = { herd->outage_ns, herd->capacity },
		.clients_count = herd->clients,
		.clients = room->clients,
		.waits_ns = room->waits_ns,
		.histogram = &scenario->histogram,
		.peak_from_ns = SCENARIO_STARTED_NS,
		.machines = room->machines,
		.machines_count = machines_of(scenario, herd),
		.fleet = scenario->gate == HERD_GATE_FLEET,
		.most = MOST,
	};
	struct sums sums = { 0 };

	if (scenario->gate == HERD_NO_GATE && pauses_are_0(simulation, seed)) {
		scenario->no_end = "all pauses are 0";
		return;
	}
	for (int64_t run = 0; run < scenario->runs; run++) {
		simulation_start(&simulation, &random);
		while (simulation_step(&simulation, STEP))
			progress_tell(progress,
			    ((double)run + simulation_progress(&simulation))
			        / (double)scenario->runs);
		/* If not so many, the clock is at its last nanosecond. */
		if (simulation.endless) {
			scenario->no_end = simulation.attempts >= MOST
			    ? MOST_TEXT
			    : "it takes longer than 292 years";
			return;
		}
		add_run(&sums, &simulation);
	}
	scenario->figures = means(&sums, (double)scenario->runs, herd);
}
