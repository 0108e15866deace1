/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_H
#define BACKOFF_CORE_SIMULATION_H
/*
 * What many clients do to a service that is down and comes back: each runs
 * the loop, with the same pauses (pause.h) and the same limits, but its
 * attempts take no time and the world is a few numbers.
 *
 * All clients start at 0, each after its splay. Until DOWN_NS nothing is
 * served; from then on, in each second counted from there, the first
 * CAPACITY attempts that come. All others fail. There is no time of day:
 * --until is for the caller to turn into a deadline.
 *
 * With a gate (gate.h) an attempt takes a fifth of a second, so that there are
 * stragglers, and nobody dies.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/random.h"
#include "core/simulated_world.h"

/* All clients of OUTAGE, where what is asked is set, start over. */
void simulation_start(struct simulation *simulation, struct random *random);

/*
 * Goes on by at most ATTEMPTS attempts. False at the end, or where there
 * will be none: ENDLESS is set.
 */
bool simulation_step(struct simulation *simulation, int64_t attempts);

/* About how much of it is over, 0..1. It never goes back. */
double simulation_progress(const struct simulation *simulation);

/*
 * How long after DOWN_NS this percentage of those served was so, 1..100, as
 * the nearest rank; 0 where nobody was.
 */
int64_t simulation_wait(const struct simulation *simulation, int percent);

#endif
