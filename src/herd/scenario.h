/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_SCENARIO_H
#define BACKOFF_HERD_SCENARIO_H
/*
 * One way to back off, tried by a herd: what came of it, over all the runs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/settings.h"
#include "core/simulation.h"
#include "herd/progress.h"
#include "options/herd_options.h"

/* So many side by side. */
#define SCENARIOS 3

/* Earlier attempts are still those of the start. */
#define SCENARIO_STARTED_NS (5 * INT64_C(1000000000))

/* Means over the runs. */
struct figures {
	double retries; /* of each client: the first attempt is none */
	double peak_after_0; /* attempts in a tenth of a second */
	double peak; /* the same, after TRIAL_STARTED_NS */
	double gave_up; /* clients */
	double down_rate; /* attempts a second in the outage, but for its
	                   * first second; < 0: there is no more of it */
	double refused; /* attempts that failed after it */
	double end_ns; /* when the last attempt was made */

	/* By those that were served, after the outage; of one at least. */
	bool served;
	double wait_ns;
	double wait_95_ns;
	double last_ns;
};

struct scenario {
	const char *name;
	struct settings settings;
	bool gated; /* its clients share a gate */
	int64_t runs;

	/* What came of it. */
	const char *no_end; /* why nothing did, or NULL */
	struct figures figures;
	struct histogram histogram; /* of all runs together */
};

/* Memory that one trial after the other uses, for so many clients. */
struct scenario_memory {
	struct simulated_client *clients;
	int64_t *waits_ns;
};

/* How many runs there have to be: one where all would be the same. */
int64_t scenario_runs(const struct settings *settings, int64_t wanted);

/* TRIAL has a name, settings, runs and an empty load. */
void scenario_run(struct scenario *scenario, const struct herd *herd,
    uint64_t seed, const struct scenario_memory *room,
    struct progress *progress);

#endif
