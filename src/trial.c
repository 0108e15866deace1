/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "random.h"
#include "trial.h"

/* Attempts between two looks at the clock: some milliseconds. */
#define STEP 50000

/* Sums over the runs. */
struct sums {
	double attempts, peak_after_0, peak, gave_up, ends_ns;
	double waits_ns, served;
	double waits_95_ns, lasts_ns, runs_served;
};

static void
add_run(struct sums *sums, const struct outage *outage)
{
	sums->attempts += (double)outage->attempts;
	sums->peak_after_0 += (double)outage->peak_after_0;
	sums->peak += (double)outage->peak;
	sums->gave_up += (double)(outage->exhausted + outage->late);
	sums->ends_ns += (double)outage->queue.now_ns;
	if (outage->served == 0)
		return;
	/* All waits together may be longer than 292 years. */
	for (int64_t i = 0; i < outage->served; i++)
		sums->waits_ns += (double)outage->waits_ns[i];
	sums->served += (double)outage->served;
	sums->waits_95_ns += (double)outage_wait(outage, 95);
	sums->lasts_ns += (double)outage_wait(outage, 100);
	sums->runs_served++;
}

static struct figures
means(const struct sums *sums, double runs, double clients)
{
	double attempts = sums->attempts / runs / clients;
	struct figures figures = {
		.retries = attempts > 1 ? attempts - 1 : 0,
		.peak_after_0 = sums->peak_after_0 / runs,
		.peak = sums->peak / runs,
		.gave_up = sums->gave_up / runs,
		.end_ns = sums->ends_ns / runs,
		.served = sums->served > 0,
	};

	if (figures.served) {
		figures.wait_ns = sums->waits_ns / sums->served;
		figures.wait_95_ns = sums->waits_95_ns / sums->runs_served;
		figures.last_ns = sums->lasts_ns / sums->runs_served;
	}
	return figures;
}

/* One client shows soon whether there are pauses at all. */
static bool
pauses_are_0(struct outage outage, uint64_t seed)
{
	struct random random = random_from(seed);

	outage.clients_count = 1;
	outage.service = (struct service) { 1, 1 };
	outage.load = NULL;
	outage_start(&outage, &random);
	outage_step(&outage, 10000);
	return outage.endless;
}

int64_t
trial_runs(const struct settings *settings, int64_t wanted)
{
	struct range splay = settings->limits.splay;

	return settings->policy.jitter.kind == JITTER_NONE
	        && splay.low_ns == splay.high_ns
	    ? 1
	    : wanted;
}

void
trial_make(struct trial *trial, const struct herd *herd, uint64_t seed,
    const struct trial_room *room, struct progress *progress)
{
	struct random random = random_from(seed);
	struct outage outage = {
		.settings = &trial->settings,
		.service = { herd->outage_ns, herd->capacity },
		.clients_count = herd->clients,
		.clients = room->clients,
		.waits_ns = room->waits_ns,
		.load = &trial->load,
		.peak_from_ns = TRIAL_STARTED_NS,
	};
	struct sums sums = { 0 };

	if (pauses_are_0(outage, seed)) {
		trial->no_end = "all pauses are 0";
		return;
	}
	for (int64_t run = 0; run < trial->runs; run++) {
		outage_start(&outage, &random);
		while (outage_step(&outage, STEP))
			progress_tell(progress,
			    ((double)run + outage_progress(&outage))
			        / (double)trial->runs);
		/* The clock has come to its end, and all are there. */
		if (outage.endless) {
			trial->no_end = "it takes longer than 292 years";
			return;
		}
		add_run(&sums, &outage);
	}
	trial->figures
	    = means(&sums, (double)trial->runs, (double)herd->clients);
}
