/* SPDX-License-Identifier: MIT */
/*
 * backoff-herd shows what many clients do to a service that is down and
 * comes back, when all of them run backoff with the same options. It exits
 * with 0, or with 125 after a usage error or a failure of its own.
 */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/pause/schedule.h"
#include "herd/herd.h"
#include "options/options.h"
#include "system/system.h"

/* This many take some 90 MB, and minutes if they make many attempts. */
#define MOST_CLIENTS INT64_C(1000000)

/* The default seed: the same options print the same figures. */
#define SEED 1

const struct program program = {
	PROGRAM_HERD,
	"backoff-herd",
	INT64_MAX,
	"backoff-herd --help lists them",
	"Usage: backoff-herd [OPTION]... --clients=N --outage=DURATION "
	"--capacity=RATE\n"
	"Show what many clients that run backoff with these options do to a "
	"service that is down, and then serves RATE requests a second.\n",
	NULL,
	"\n"
	"DURATION is a number with a unit (ns us ms s m h d), such as 1m30s; "
	"without one, it is in seconds. RATE is a number such as 100 or 0.5. "
	"Unless --seed is given it is 1: the same options print the same "
	"figures.\n"
	"\n"
	"Example:\n"
	"  backoff-herd --clients=1000 --outage=1m --capacity=100\n"
	"\n"
	"The manual: man backoff-herd\n",
};

static void
check(const struct options *options)
{
	const struct herd *herd = &options->herd;

	if (options->job.argv[0] != NULL)
		usage_refuse(
		    "operand", options->job.argv[0], "expected options only");
	if (herd->clients == 0)
		usage_refuse("--clients", "missing",
		    "expected how many clients there are");
	if (herd->service.down_ns < 0)
		usage_refuse("--outage", "missing",
		    "expected how long the service is down, such as 1m");
	if (service_rate(&herd->service) <= 0)
		usage_refuse("--capacity", "missing",
		    "expected how many requests a second it serves then");
	if (herd->clients > MOST_CLIENTS)
		usage_refuse("--clients", NUMBER(herd->clients),
		    "expected at most 1000000");
}

/* The loop that most people write: until COMMAND; do sleep 1; done */
static void
try_each_second(struct settings *settings)
{
	settings->policy = (struct policy) {
		.base_ns = NS_PER_S,
		.factor = 1,
		.cap_ns = DURATION_INF,
		.growth = GROWTH_CONSTANT,
		.jitter.kind = JITTER_NONE,
		.max_exponent = INT64_MAX,
	};
	settings->limits.attempts = INT64_MAX;
	settings->limits.deadline_ns = DURATION_INF;
	settings->limits.splay = (struct range) { 0, 0 };
}

/*
 * Beside a gate, no gate is of more interest than no jitter; and beside that
 * of a fleet, a gate for each machine is of more interest than the loop.
 */
static void
set_trials(struct trial *trials, const struct options *options)
{
	static const char *const names[][TRIALS] = {
		[HERD_NO_GATE]
		= { "these options", "--jitter=none", "every second" },
		[HERD_GATE_MACHINE]
		= { "these options", "no gate", "every second" },
		[HERD_GATE_FLEET] = { "these options", "--gate", "no gate" },
	};
	enum herd_gate gate = options->herd.gate;

	for (int i = 0; i < TRIALS; i++)
		trials[i] = (struct trial) { .name = names[gate][i],
			.settings = options->settings };
	trials[0].gate = gate;
	if (gate == HERD_NO_GATE)
		trials[1].settings.policy.jitter
		    = (struct jitter) { .kind = JITTER_NONE };
	if (gate == HERD_GATE_FLEET)
		trials[1].gate = HERD_GATE_MACHINE;
	else
		try_each_second(&trials[2].settings);
}

/* --- the trials --- */

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

/* Of all runs of all trials: a few minutes. */
#define MOST_ATTEMPTS 1e9

/* Of what a figure is the mean. */
struct sum {
	double total, count;
};

struct work {
	struct trial *trial; /* the current one, */
	struct sum sums[FIGURES]; /* of the runs that it has made, */
	int64_t done; /* so many, */
	struct simulation simulation; /* and the run that it makes */
	double runs; /* of all trials */
	double runs_before, attempts_before; /* of the trials before this */

	/* When stderr is told next how far it has come; INT64_MAX: never. */
	int64_t next_ns;
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
	done = (work->runs_before + (double)work->done
	           + simulation_progress(&work->simulation))
	    / work->runs;
	fprintf(stderr, "\rsimulating: %d%%", (int)(100 * done));
}

static void
add(struct sum *sum, double value, double count)
{
	sum->total += value;
	sum->count += count;
}

/* Adds the run that has ended. */
static void
add_run(struct work *work)
{
	const struct simulation *run = &work->simulation;
	int64_t down_ns = max_ns(run->service.down_ns - NS_PER_S, 0);
	struct sum *sums = work->sums;

	work->done++;
	add(&sums[FIGURE_RETRIES], (double)run->attempts, 1);
	add(&sums[FIGURE_PEAK], (double)run->peak_after_0, 1);
	add(&sums[FIGURE_LATER_PEAK], (double)run->peak, 1);
	/* A double, because the sum may exceed the 292 years of an int64_t. */
	for (int64_t i = 0; i < run->served; i++)
		add(&sums[FIGURE_WAIT], (double)run->waits_ns[i], 1);
	add(&sums[FIGURE_WAIT_95], (double)simulation_wait(run, 95),
	    run->served > 0);
	add(&sums[FIGURE_WAIT_LAST], (double)simulation_wait(run, 100),
	    run->served > 0);
	add(&sums[FIGURE_OUTAGE_RATE], (double)run->down,
	    (double)down_ns / NS_PER_S);
	add(&sums[FIGURE_LATE_FAILURES], (double)run->refused, 1);
	add(&sums[FIGURE_GAVE_UP], (double)run->gave_up, 1);
	add(&sums[FIGURE_END], (double)run->queue.now_ns, 1);
}

/*
 * Whether the ATTEMPTS of this trial and those of the trials before it are too
 * many. If so, notes it, to three digits; HOW says how well ATTEMPTS are known:
 * "about".
 */
static bool
takes_too_long(const struct work *work, const char *how, double attempts)
{
	struct trial *trial = work->trial;
	struct text text = text_in(trial->too_long, sizeof trial->too_long);
	double all = work->attempts_before + attempts;
	int64_t unit = 1;

	if (all <= MOST_ATTEMPTS)
		return false;
	while (all / (double)unit >= 1000 && unit <= INT64_MAX / 10000)
		unit *= 10;
	all /= (double)unit;
	trial->no_end = trial->too_long;
	text_join(&text,
	    work->attempts_before > 0 ? "left out: with it there would be "
	                              : "it takes ",
	    how, " ",
	    NUMBER(saturating_multiply(
	        unit, all < 1e6 ? (int64_t)(all + 0.5) : INT64_MAX)),
	    " attempts");
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
	double to_come = (double)(work->trial->runs - work->done);
	bool goes_on;

	do {
		goes_on = simulation_step(&work->simulation, STEPS);
		show_progress(work);
		/* The runs to come make as many as this one, at least. */
		if (takes_too_long(work, "at least",
		        work->sums[FIGURE_RETRIES].total
		            + to_come * (double)run->attempts))
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
	double retries;

	work->done = 0;
	for (int i = 0; i < FIGURES; i++) {
		work->sums[i] = (struct sum) { .count = 0 };
		trial->figures[i] = -1;
	}
	/* At a gate, pauses of 0 have an end. */
	if (trial->gate == HERD_NO_GATE) {
		double attempts = attempts_in_outage(trial, *template, seed)
		    * (double)template->clients_count * (double)trial->runs;

		if (trial->no_end != NULL
		    || takes_too_long(work, "about", attempts))
			return;
	}
	while (work->done < trial->runs) {
		work->simulation = *template;
		simulation_start(&work->simulation, &random);
		if (!make_run(work))
			return;
	}
	for (int i = 0; i < FIGURES; i++)
		if (work->sums[i].count > 0)
			trial->figures[i]
			    = work->sums[i].total / work->sums[i].count;
	retries
	    = trial->figures[FIGURE_RETRIES] / (double)template->clients_count
	    - 1;
	trial->figures[FIGURE_RETRIES] = retries > 0 ? retries : 0;
	work->attempts_before += work->sums[FIGURE_RETRIES].total;
}

/*
 * Fills in the results of TRIALS trials, in their order; none is run after a
 * first one that has no end. If stderr is a terminal, it tells after a second
 * how far they have come. Exits if there is no memory.
 */
static void
run_trials(struct trial *trials, const struct herd *herd, uint64_t seed)
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
}

int
main(int argc, char **argv)
{
	struct trial trials[TRIALS];
	struct options options;

	options_parse(&options, argc, argv);
	check(&options);
	set_trials(trials, &options);
	run_trials(trials, &options.herd,
	    options.seed >= 0 ? (uint64_t)options.seed : SEED);
	if (trials[0].no_end == trials[0].too_long)
		usage_refuse("too long", trials[0].no_end,
		    "expected at most 1000000000, by fewer --clients or "
		    "--runs, or a shorter --outage");
	if (trials[0].no_end != NULL)
		usage_refuse("no end", trials[0].no_end,
		    "expected other pauses, or --attempts");
	if (options.log.format == LOG_JSON)
		report_json(trials, &options.herd);
	else
		report_text(trials, &options.herd);
	usage_finish();
}
