/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_TRIAL_H
#define BACKOFF_HERD_TRIAL_H
/*
 * A trial simulates the herd with one set of options, in several runs. Three
 * trials are compared: the first has the user's options. report.c prints them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/simulation/simulation.h"
#include "types/option_types.h"

#define TRIALS 3

/* Attempts of all runs of all trials: a few minutes. */
#define TRIAL_MOST INT64_C(1000000000)

/* Means over the runs; < 0: there is no such figure. */
enum figure {
	FIGURE_RETRIES, /* per client: attempts after the first */
	FIGURE_PEAK, /* attempts in a tenth of a second, but for those at 0 */
	FIGURE_LATER_PEAK, /* the same, after SIMULATION_STARTED_NS */
	/* How long clients waited after the outage, in ns; if any was served.
	 */
	FIGURE_WAIT,
	FIGURE_WAIT_95,
	FIGURE_WAIT_LAST,
	/* Attempts a second in the outage, but for its first second. */
	FIGURE_OUTAGE_RATE,
	FIGURE_LATE_FAILURES, /* attempts that failed after the outage */
	FIGURE_GAVE_UP, /* number of clients */
	FIGURE_END, /* when the last attempt was made, in ns */
};
#define FIGURES (FIGURE_END + 1)

struct trial {
	const char *name;
	struct settings settings;
	enum herd_gate gate; /* what its clients share */

	/* The result. */
	int64_t runs; /* 1 if nothing is drawn at random */
	const char *no_end; /* why the simulation would not end, or NULL */
	char words[80]; /* for it */
	bool too_long; /* because it takes more than TRIAL_MOST attempts */
	double figures[FIGURES];
	struct histogram histogram; /* of the attempts of all runs */
};

/*
 * Fills in the results of TRIALS trials, in their order; none is run after a
 * first one that has no end. If stderr is a terminal, it tells after a second
 * how far they have come. Exits if there is no memory.
 */
void trials_run(struct trial *trials, const struct herd *herd, uint64_t seed);

/*
 * Print the results of the trials to stdout. The time axis ends with the first
 * trial, or a while after the outage.
 */

/* The figures side by side, and a chart of the attempts of each trial. */
void report_text(const struct trial *trials, const struct herd *herd);

/* The same for programs: see backoff-herd(1). */
void report_json(const struct trial *trials, const struct herd *herd);

#endif
