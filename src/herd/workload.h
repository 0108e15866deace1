/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_HERD_WORKLOAD_H
#define BACKOFF_HERD_WORKLOAD_H
/*
 * Tells beforehand how many attempts a simulation takes, so that one that
 * would run for hours is refused at once.
 */

#include <stdint.h>

#include "core/simulation/simulation.h"

/*
 * How many attempts a client without a gate makes until the end of the outage,
 * or a bit more. Less than that is told only where pauses still grow after
 * some 100,000 attempts.
 */
double workload_of_outage(struct simulation simulation, uint64_t seed);

/*
 * How many attempts a run that has come this far makes in all; never more
 * than it makes, but for chance.
 */
double workload_of_run(const struct simulation *simulation);

#endif
