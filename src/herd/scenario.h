/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_SCENARIO_H
#define BACKOFF_HERD_SCENARIO_H
/*
 * One set of options that a herd of clients tries, and the mean figures of
 * all its runs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/charts/chart.h"
#include "core/loop/settings.h"
#include "core/simulation/simulation.h"
#include "herd/progress.h"
#include "types/herd_options.h"

/* How many are compared. */
#define SCENARIOS 3

/* Attempts before this time still belong to the clients' common start. */
#define SCENARIO_STARTED_NS (5 * INT64_C(1000000000))

/* Attempts of all runs of all that are compared: a minute or two. */
#define SCENARIO_MOST INT64_C(1000000000)

/* Means over the runs. */
struct figures {
	double retries; /* per client: attempts after the first */
	double peak_after_0; /* attempts in a tenth of a second */
	double peak; /* the same, after SCENARIO_STARTED_NS */
	double gave_up; /* number of clients */
	double down_rate; /* attempts a second in the outage, but for its
	                   * first second; < 0: there is no more of it */
	double refused; /* attempts that failed after it */
	double end_ns; /* when the last attempt was made */

	/* How long clients waited after the outage; only if any was SERVED. */
	bool served;
	double wait_ns;
	double wait_95_ns;
	double last_ns;
};

struct scenario {
	const char *name;
	struct settings settings;
	enum herd_gate gate; /* what its clients share */
	int64_t runs;

	/* The result. */
	const char *no_end; /* why the simulation would not end, or NULL */
	char words[80]; /* for it */
	bool too_long; /* because it takes more than SCENARIO_MOST attempts */
	struct figures figures;
	struct histogram histogram; /* of all runs together */
};

/* Memory for the clients, which the scenarios use one after the other. */
struct scenario_memory {
	struct simulated_client *clients;
	int64_t *waits_ns;
	struct gate *machines; /* at least one */
};

/* How many runs to make: WANTED, or 1 if nothing is drawn at random. */
int64_t scenario_runs(const struct settings *settings, int64_t wanted);

/*
 * Fills in the result of SCENARIO; the caller has set all else. ATTEMPTS is
 * how many the ones before it have made, to which this one adds its own.
 */
void scenario_run(struct scenario *scenario, const struct herd *herd,
    uint64_t seed, const struct scenario_memory *room,
    struct progress *progress, double *attempts);

#endif
