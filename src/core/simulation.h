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
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/histogram.h"
#include "core/event_queue.h"
#include "core/random.h"
#include "core/loop_state.h"
#include "core/settings.h"

struct simulated_client {
	struct event waiting; /* its next attempt; where it ended, that */
	struct schedule schedule;
	int64_t attempts;
	int64_t failures;
	int64_t streak; /* successes in a row */
	enum result result; /* SUCCESS, EXHAUSTED, DEADLINE; NONE so far */
};

struct service {
	int64_t down_ns; /* >= 0 */
	double capacity; /* served a second, > 0; 0.5: in every other one */
};

struct simulation {
	/* What is asked. The memory is the caller's. */
	const struct settings *settings; /* of each client */
	struct service service;
	int64_t clients_count; /* >= 1 */
	struct simulated_client *clients; /* so many */
	int64_t *waits_ns; /* room for so many */
	struct histogram
	    *histogram; /* where attempts are counted too, or NULL */
	int64_t peak_from_ns; /* > 0, a multiple of a tenth of a second */

	/* What comes out. */
	int64_t attempts; /* of all, the first ones included */
	int64_t peak; /* most of them in a tenth of a second from there on, */
	int64_t peak_after_0; /* and of all but those at 0 */
	int64_t served; /* clients, and who gave up for lack of: */
	int64_t exhausted; /* attempts */
	int64_t late; /* time */
	int64_t waited_ns; /* by those served, from DOWN_NS on, in all */
	bool endless; /* they try for ever without a pause */

	/* How far it is. */
	struct random *random;
	struct event_queue queue;
	int64_t second; /* the current one, since DOWN_NS */
	int64_t left; /* to serve in it */
	int64_t tenth; /* of a second, the current one */
	int64_t in_tenth;
	int64_t at_once; /* attempts at this moment */
};

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
