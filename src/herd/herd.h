/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_HERD_H
#define BACKOFF_HERD_HERD_H
/*
 * A trial simulates the herd with one set of options, in several runs. Three
 * trials are compared: the first has the user's options. report.c prints them.
 */

#include <stdint.h>

#include "core/simulation/simulation.h"
#include "types/option_types.h"

#define TRIALS 3

/* Means over the runs; < 0: there is no such figure. */
enum figure {
	FIGURE_RETRIES, /* per client: attempts after the first */
	FIGURE_PEAK, /* attempts in a tenth of a second, but for those at 0 */
	FIGURE_LATER_PEAK, /* the same, after SIMULATION_STARTED_NS */
	/* How long served clients waited after the outage, in ns. */
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
	char too_long[80]; /* that, if it takes too many attempts */
	double figures[FIGURES];
	struct histogram histogram; /* of the attempts of all runs */
};

/*
 * Print the results of the trials to stdout. The time axis ends with the first
 * trial, or a while after the outage.
 */

/* The figures side by side, and a chart of the attempts of each trial. */
void report_text(const struct trial *trials, const struct herd *herd);

/* The same for programs: see backoff-herd(1). */
void report_json(const struct trial *trials, const struct herd *herd);

#endif
