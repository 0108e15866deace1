/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_SIMULATION_H
#define BACKOFF_CORE_SIMULATION_SIMULATION_H
/*
 * Simulates many clients and a service that is down and comes back. Each
 * client follows the rules of the loop, with the same pauses (next_pause.h)
 * and the same limits, but an attempt takes no time.
 *
 * All clients start at 0, each after its splay. Until DOWN_NS all attempts
 * fail. After that, the first CAPACITY attempts in each second, counted from
 * there, are served, and all others fail. With less than one a second it is
 * the first attempt of each 1 / CAPACITY seconds. A service may refuse instead
 * what is beyond a limit. There is no time of day: the caller has to turn
 * --until into a deadline.
 *
 * With gates (step.h) an attempt takes a fifth of a second, so that there are
 * stragglers, and nobody dies. Each machine has a gate, or the fleet has one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/pause/random.h"
#include "core/simulation/simulated_world.h"

/* Starts a run; the input must be set. */
void simulation_start(struct simulation *simulation, struct random *random);

/*
 * Simulates at most ATTEMPTS further attempts. False: the run has ended, or
 * never will, and then ENDLESS is set.
 */
bool simulation_step(struct simulation *simulation, int64_t attempts);

/* Roughly how much of the run is done, 0..1. It never decreases. */
double simulation_progress(const struct simulation *simulation);

/*
 * How long after DOWN_NS this percentage (1..100) of the served clients had
 * been served, by the nearest-rank method; 0 if none was.
 */
int64_t simulation_wait(const struct simulation *simulation, int percent);

#endif
