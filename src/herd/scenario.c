/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/pause/random.h"
#include "herd/scenario.h"
#include "herd/workload.h"

/* Attempts simulated between two looks at the clock: a few milliseconds. */
#define STEP 50000

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
	sums->gave_up += (double)simulation->gave_up;
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
	double down_ns = (double)(herd->service.down_ns - NS_PER_S);
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
	simulation.service = (struct service) { .down_ns = 1, .capacity = 1 };
	simulation.histogram = NULL;
	simulation_start(&simulation, &random);
	simulation_step(&simulation, 10000);
	return simulation.endless;
}

/* ATTEMPTS to three digits, as it is only known roughly. */
static void
text_about(struct text *text, double attempts)
{
	int64_t unit = 1;

	while (attempts / (double)unit >= 1000 && unit <= INT64_MAX / 10000)
		unit *= 10;
	attempts /= (double)unit;
	text_join(text, "about ",
	    NUMBER(saturating_multiply(
	        unit, attempts < 1e6 ? (int64_t)(attempts + 0.5) : INT64_MAX)),
	    " attempts");
}

/* Whether ATTEMPTS, with the BEFORE of other scenarios, are too many. */
static bool
takes_too_long(struct scenario *scenario, double before, double attempts)
{
	struct text text = text_in(scenario->words, sizeof scenario->words);

	if (before + attempts <= (double)SCENARIO_MOST)
		return false;
	scenario->too_long = true;
	scenario->no_end = scenario->words;
	if (before > 0)
		text_add(&text, "left out: with it there would be ");
	else
		text_add(&text, "it takes ");
	text_about(&text, before + attempts);
	return true;
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

/* A scenario that runs. */
struct work {
	struct scenario *scenario;
	struct simulation *simulation;
	struct sums sums; /* of the runs that have ended */
	int64_t run; /* the number of these */
	double before; /* attempts of other scenarios */
	double next_look;
	struct progress *progress;
};

/* Tells how far WORK has come; false: there is too much of it. */
static bool
look(struct work *work)
{
	const struct simulation *simulation = work->simulation;
	double ended = (double)work->run, runs = (double)work->scenario->runs;
	double attempts = work->sums.attempts;
	double this_run = workload_of_run(simulation);
	double others = ended > 0 ? attempts / ended : this_run;

	progress_tell(
	    work->progress, (ended + simulation_progress(simulation)) / runs);
	work->next_look
	    = attempts + (double)simulation->attempts + ended + STEP;
	return !takes_too_long(work->scenario, work->before,
	    attempts + this_run + (runs - ended - 1) * others);
}

/* Makes one more run. False: it, or all of them, would have no end. */
static bool
make_run(struct work *work)
{
	struct simulation *simulation = work->simulation;
	bool goes_on;

	do {
		goes_on = simulation_step(simulation, STEP);
		if ((goes_on
		        || work->sums.attempts + (double)simulation->attempts
		                + (double)work->run
		            >= work->next_look)
		    && !look(work))
			return false;
	} while (goes_on);
	/* Never for a number of attempts, which look() would have refused. */
	if (simulation->endless)
		work->scenario->no_end = "it takes longer than 292 years";
	else
		add_run(&work->sums, simulation);
	return !simulation->endless;
}

/* Whether it is known beforehand that SIMULATION has no end, or hardly any. */
static bool
is_hopeless(struct scenario *scenario, const struct simulation *simulation,
    uint64_t seed, double before)
{
	if (scenario->gate != HERD_NO_GATE)
		return false;
	if (pauses_are_0(*simulation, seed)) {
		scenario->no_end = "all pauses are 0";
		return true;
	}
	return takes_too_long(scenario, before,
	    workload_of_outage(*simulation, seed)
	        * (double)simulation->clients_count * (double)scenario->runs);
}

void
scenario_run(struct scenario *scenario, const struct herd *herd, uint64_t seed,
    const struct scenario_memory *room, struct progress *progress,
    double *attempts)
{
	struct random random = random_from(seed);
	const struct simulation template = {
		.settings = &scenario->settings,
		.service = herd->service,
		.clients_count = herd->clients,
		.clients = room->clients,
		.waits_ns = room->waits_ns,
		.histogram = &scenario->histogram,
		.peak_from_ns = SCENARIO_STARTED_NS,
		.machines = room->machines,
		.machines_count
		= scenario->gate == HERD_NO_GATE ? 0 : herd->machines,
		.fleet = scenario->gate == HERD_GATE_FLEET,
	};
	struct simulation simulation = template;
	struct work work = {
		.scenario = scenario,
		.simulation = &simulation,
		.before = *attempts,
		.progress = progress,
	};

	if (is_hopeless(scenario, &simulation, seed, *attempts))
		return;
	for (; work.run < scenario->runs; work.run++) {
		simulation = template;
		simulation_start(&simulation, &random);
		if (!make_run(&work))
			return;
	}
	*attempts += work.sums.attempts;
	scenario->figures = means(&work.sums, (double)scenario->runs, herd);
}
