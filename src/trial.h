/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TRIAL_H
#define BACKOFF_TRIAL_H
/*
 * One way to back off, tried by a herd: what came of it, over all the runs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "load.h"
#include "options.h"
#include "outage.h"
#include "progress.h"

/* So many side by side. */
#define TRIALS 3

/* Earlier attempts are still those of the start. */
#define TRIAL_STARTED_NS (5 * INT64_C(1000000000))

/* Means over the runs. */
struct figures {
	double retries; /* of each client: the first attempt is none */
	double peak_after_0; /* attempts in a tenth of a second */
	double peak; /* the same, after TRIAL_STARTED_NS */
	double gave_up; /* clients */
	double end_ns; /* when the last attempt was made */

	/* By those that were served, after the outage; of one at least. */
	bool served;
	double wait_ns;
	double wait_95_ns;
	double last_ns;
};

struct trial {
	const char *name;
	struct settings settings;
	int64_t runs;

	/* What came of it. */
	const char *no_end; /* why nothing did, or NULL */
	struct figures figures;
	struct load load; /* of all runs together */
};

/* Memory that one trial after the other uses, for so many clients. */
struct trial_room {
	struct outage_client *clients;
	int64_t *waits_ns;
};

/* How many runs there have to be: one where all would be the same. */
int64_t trial_runs(const struct settings *settings, int64_t wanted);

/* TRIAL has a name, settings, runs and an empty load. */
void trial_make(struct trial *trial, const struct herd *herd, uint64_t seed,
    const struct trial_room *room, struct progress *progress);

#endif
