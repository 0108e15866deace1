/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/pause/random.h"
#include "herd/trial.h"
#include "options/help.h"
#include "system/system.h"

/* Steps between two looks at the clock: a few milliseconds. */
#define STEPS 50000

/*
 * The buckets' width doubles until they hold the whole run. It starts at a
 * power of two below a second, so it always divides one second or is a whole
 * number of them: 2 ms are enough for 2 minutes, 1 s for 18 hours.
 */
#define BUCKET_NS (NS_PER_S / 512)
#define BUCKETS 65536

/* The estimate simulates this many clients, in twice HALF steps: a blink. */
#define FEW_CLIENTS 8
#define HALF 500000

/* Of the runs of a trial that have ended. */
struct sums {
	int64_t runs;
	double figures[FIGURES];
	double attempts, served, runs_served;
};

struct work {
	struct trial *trial; /* the current one, */
	struct sums sums; /* what it has made, */
	struct simulation simulation; /* and the run that it makes */
	double runs; /* of all trials */
	double runs_before, attempts_before; /* of the trials before this */

	/* How far it has come, on stderr. */
	int64_t
	    next_ns; /* when to print it next; INT64_MAX: it is no terminal */
	bool is_shown;
};

static void
show_progress(struct work *work)
{
	int64_t now_ns = clock_now_ns();
	double done;

	if (now_ns < work->next_ns)
		return;
	work->next_ns = now_ns + NS_PER_S / 10;
	work->is_shown = true;
	done = (work->runs_before + (double)work->sums.runs
	           + simulation_progress(&work->simulation))
	    / work->runs;
	fprintf(stderr, "\rsimulating: %d%%", (int)(100 * done));
}

/* Adds the run that has ended. */
static void
add_run(struct work *work)
{
	const struct simulation *run = &work->simulation;
	double *sums = work->sums.figures;

	work->sums.attempts += (double)run->attempts;
	sums[FIGURE_PEAK] += (double)run->peak_after_0;
	sums[FIGURE_LATER_PEAK] += (double)run->peak;
	sums[FIGURE_OUTAGE_RATE] += (double)run->down;
	sums[FIGURE_LATE_FAILURES] += (double)run->refused;
	sums[FIGURE_GAVE_UP] += (double)run->gave_up;
	sums[FIGURE_END] += (double)run->queue.now_ns;
	/* A double, because the sum may exceed the 292 years of an int64_t. */
	for (int64_t i = 0; i < run->served; i++)
		sums[FIGURE_WAIT] += (double)run->waits_ns[i];
	sums[FIGURE_WAIT_95] += (double)simulation_wait(run, 95);
	sums[FIGURE_WAIT_LAST] += (double)simulation_wait(run, 100);
	work->sums.served += (double)run->served;
	work->sums.runs_served += run->served > 0;
}

/* SUM / COUNT, or -1 if there is none. */
static double
mean(double sum, double count)
{
	return count > 0 ? sum / count : -1;
}

static void
set_figures(const struct work *work)
{
	const struct simulation *run = &work->simulation;
	const double *sums = work->sums.figures;
	double *figures = work->trial->figures;
	double runs = (double)work->sums.runs;
	double attempts
	    = work->sums.attempts / runs / (double)run->clients_count;
	double down_s = (double)(run->service.down_ns - NS_PER_S) / NS_PER_S;

	for (int i = 0; i < FIGURES; i++)
		figures[i] = sums[i] / runs;
	figures[FIGURE_RETRIES] = attempts > 1 ? attempts - 1 : 0;
	figures[FIGURE_WAIT] = mean(sums[FIGURE_WAIT], work->sums.served);
	figures[FIGURE_WAIT_95]
	    = mean(sums[FIGURE_WAIT_95], work->sums.runs_served);
	figures[FIGURE_WAIT_LAST]
	    = mean(sums[FIGURE_WAIT_LAST], work->sums.runs_served);
	figures[FIGURE_OUTAGE_RATE] = mean(figures[FIGURE_OUTAGE_RATE], down_s);
}

/* ATTEMPTS to three digits, as it is only known roughly. */
static void
text_roughly(struct text *text, double attempts)
{
	int64_t unit = 1;

	while (attempts / (double)unit >= 1000 && unit <= INT64_MAX / 10000)
		unit *= 10;
	attempts /= (double)unit;
	text_join(text,
	    NUMBER(saturating_multiply(
	        unit, attempts < 1e6 ? (int64_t)(attempts + 0.5) : INT64_MAX)),
	    " attempts");
}

/*
 * Whether the ATTEMPTS of this trial and those of the trials before it are too
 * many. If so, notes it; HOW says how well ATTEMPTS are known: "about".
 */
static bool
takes_too_long(const struct work *work, const char *how, double attempts)
{
	struct trial *trial = work->trial;
	struct text text = text_in(trial->words, sizeof trial->words);

	if (work->attempts_before + attempts <= (double)TRIAL_MOST)
		return false;
	trial->too_long = true;
	trial->no_end = trial->words;
	text_join(&text,
	    work->attempts_before > 0 ? "left out: with it there would be "
	                              : "it takes ",
	    how, " ");
	text_roughly(&text, work->attempts_before + attempts);
	return true;
}

/* Why an endless run has no end: its clock has saturated, or stands still. */
static const char *
why_endless(const struct simulation *run)
{
	return run->queue.now_ns == INT64_MAX ? "it takes longer than 292 years"
	                                      : "all pauses are 0";
}

/*
 * How many attempts a client without a gate makes until the end of the outage,
 * or a bit more. It is less only if pauses still grow after some 100,000
 * attempts. Sets the trial's no_end if the simulation would never end.
 */
static double
attempts_in_outage(
    struct trial *trial, struct simulation simulation, uint64_t seed)
{
	struct random random = random_from(seed);
	int64_t end_ns = min_ns(simulation.service.down_ns,
	    simulation.settings->limits.deadline_ns);
	int64_t half_ns, now_ns;
	double attempts;
	bool goes_on;

	simulation.clients_count
	    = min_ns(simulation.clients_count, FEW_CLIENTS);
	simulation.service.capacity = FEW_CLIENTS;
	/* A client that is served at once would not show pauses of 0. */
	simulation.service.down_ns = max_ns(simulation.service.down_ns, 1);
	simulation.histogram = NULL;
	simulation_start(&simulation, &random);
	goes_on = simulation_step(&simulation, HALF);
	half_ns = simulation.queue.now_ns;
	goes_on = goes_on && simulation_step(&simulation, HALF);
	now_ns = simulation.queue.now_ns;
	if (simulation.endless)
		trial->no_end = why_endless(&simulation);
	attempts
	    = (double)simulation.attempts / (double)simulation.clients_count;
	if (!goes_on || now_ns <= 0 || now_ns >= end_ns
	    || (double)(now_ns - half_ns) > 1.1 * (double)half_ns)
		return attempts;
	return attempts * (double)end_ns / (double)now_ns;
}

/* Makes one more run. False: it, or all of them, would have no end. */
static bool
make_run(struct work *work)
{
	const struct simulation *run = &work->simulation;
	double to_come = (double)(work->trial->runs - work->sums.runs);
	bool goes_on;

	do {
		goes_on = simulation_step(&work->simulation, STEPS);
		show_progress(work);
		/* The runs to come make as many as this one, at least. */
		if (takes_too_long(work, "at least",
		        work->sums.attempts + to_come * (double)run->attempts))
			return false;
	} while (goes_on);
	if (run->endless)
		work->trial->no_end = why_endless(run);
	else
		add_run(work);
	return !run->endless;
}

/* Makes all runs of a trial, each of which begins as TEMPLATE. */
static void
run_trial(struct work *work, const struct simulation *template, uint64_t seed)
{
	struct trial *trial = work->trial;
	struct random random = random_from(seed);

	work->sums = (struct sums) { .runs = 0 };
	for (int i = 0; i < FIGURES; i++)
		trial->figures[i] = -1;
	/* At a gate, pauses of 0 have an end. */
	if (trial->gate == HERD_NO_GATE) {
		double attempts = attempts_in_outage(trial, *template, seed)
		    * (double)template->clients_count * (double)trial->runs;

		if (trial->no_end != NULL
		    || takes_too_long(work, "about", attempts))
			return;
	}
	for (; work->sums.runs < trial->runs; work->sums.runs++) {
		work->simulation = *template;
		simulation_start(&work->simulation, &random);
		if (!make_run(work))
			return;
	}
	set_figures(work);
	work->attempts_before += work->sums.attempts;
}

void
trials_run(struct trial *trials, const struct herd *herd, uint64_t seed)
{
	size_t clients = (size_t)herd->clients;
	size_t machines = (size_t)herd->machines;
	struct simulation template = {
		.service = herd->service,
		.clients_count = herd->clients,
		.clients = usage_allocate(
		    "--clients", clients, sizeof *template.clients),
		.waits_ns = usage_allocate(
		    "--clients", clients, sizeof *template.waits_ns),
		.machines = usage_allocate(
		    "--machines", machines, sizeof *template.machines),
	};
	struct work work = {
		.next_ns = isatty(STDERR_FILENO) == 1
		    ? clock_now_ns() + NS_PER_S
		    : INT64_MAX,
	};

	for (int i = 0; i < TRIALS; i++) {
		const struct settings *settings = &trials[i].settings;
		const struct range *splay = &settings->limits.splay;
		bool is_random = settings->policy.jitter.kind != JITTER_NONE
		    || splay->low_ns < splay->high_ns;

		trials[i].runs = is_random ? herd->runs : 1;
		work.runs += (double)trials[i].runs;
	}
	for (int i = 0; i < TRIALS && trials[0].no_end == NULL; i++) {
		work.trial = &trials[i];
		trials[i].histogram = histogram_in(
		    usage_allocate("--clients", BUCKETS, sizeof(int64_t)),
		    BUCKETS, BUCKET_NS);
		template.settings = &trials[i].settings;
		template.histogram = &trials[i].histogram;
		template.machines_count
		    = trials[i].gate == HERD_NO_GATE ? 0 : herd->machines;
		template.fleet = trials[i].gate == HERD_GATE_FLEET;
		run_trial(&work, &template, seed);
		work.runs_before += (double)trials[i].runs;
	}
	if (work.is_shown)
		fprintf(stderr, "\r%*s\r", (int)strlen("simulating: 100%"), "");
	free(template.clients);
	free(template.waits_ns);
	free(template.machines);
}
