/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_H
#define BACKOFF_CORE_SIMULATION_H
/*
 * Simulates many clients and a service that is down and comes back. Each
 * client follows the rules of the loop, with the same pauses (next_pause.h)
 * and the same limits, but an attempt takes no time.
 *
 * All clients start at 0, each after its splay. Until DOWN_NS all attempts
 * fail. After that, the first CAPACITY attempts in each second, counted from
 * there, are served, and all others fail. There is no time of day: the caller
 * has to turn --until into a deadline.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/event_queue.h"
#include "core/random.h"
#include "core/loop_state.h"
#include "core/settings.h"

struct simulated_client {
	struct event waiting; /* at the time of its next, or last, attempt */
	struct schedule schedule;
	int64_t attempts;
	int64_t failures;
	int64_t streak; /* successes in a row */
	enum result result; /* SUCCESS, EXHAUSTED, DEADLINE; NONE so far */
};

struct service {
	int64_t down_ns; /* >= 0 */
	double capacity; /* served per second, > 0; 0.5: one every 2 seconds */
};

struct simulation {
	/* Input. The caller owns the memory. */
	const struct settings *settings; /* of each client */
	struct service service;
	int64_t clients_count; /* >= 1 */
	struct simulated_client *clients; /* clients_count of them */
	int64_t *waits_ns; /* room for clients_count */
	struct histogram *histogram; /* counts the attempts as well, or NULL */
	int64_t peak_from_ns; /* > 0, a multiple of a tenth of a second */

	/* Results. */
	int64_t attempts; /* of all clients, including the first ones */
	int64_t peak; /* most in a tenth of a second, from peak_from_ns on */
	int64_t peak_after_0; /* the same, of all attempts but those at 0 */
	int64_t served; /* number of clients that were served */
	int64_t exhausted; /* that gave up because of --attempts */
	int64_t late; /* that gave up because of --deadline */
	int64_t waited_ns; /* sum of the waits after DOWN_NS until served */
	bool endless; /* the clients try for ever without a pause */

	/* State. */
	struct random *random;
	struct event_queue queue;
	int64_t second; /* the current second, counted from DOWN_NS */
	int64_t left; /* how many can still be served in it */
	int64_t tenth; /* the current tenth of a second */
	int64_t in_tenth; /* attempts in it */
	int64_t at_once; /* attempts at the current nanosecond */
};

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
