/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATED_WORLD_H
#define BACKOFF_CORE_SIMULATED_WORLD_H
/*
 * The world that a simulation is of: a service, and clients that want to be
 * served. simulation.h says what happens in it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/event_queue.h"
#include "core/gate.h"
#include "core/histogram.h"
#include "core/loop_state.h"
#include "core/random.h"
#include "core/settings.h"

struct simulated_client {
	struct event waiting; /* its next attempt; where it ended, that */
	struct schedule schedule;
	int64_t attempts; /* that count for --attempts */
	int64_t failures;
	int64_t streak; /* successes in a row */
	enum result result; /* SUCCESS, EXHAUSTED, DEADLINE; NONE so far */

	/* At a gate: the attempt that runs, if one does. */
	bool trying, served;
	int64_t began_ns;
};

struct service {
	int64_t down_ns; /* >= 0 */
	double capacity; /* served a second, > 0; 0.5: in every other one */
};

/* The gate that all pass, the queue at it, and who holds the turn. */
struct simulated_gate {
	struct gate_record record;
	struct event *first, *last;
	struct simulated_client *holder; /* NULL: nobody */
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
	bool gated; /* they share a gate; their attempts take a while then */

	/* What comes out. */
	int64_t attempts; /* of all, the first ones included */
	int64_t peak; /* most of them in a tenth of a second from there on, */
	int64_t peak_after_0; /* and of all but those at 0 */
	int64_t down; /* attempts before DOWN_NS, after the first second, */
	int64_t refused; /* and those that failed after DOWN_NS */
	int64_t served; /* clients, and who gave up for lack of: */
	int64_t exhausted; /* attempts */
	int64_t late; /* time */
	int64_t waited_ns; /* by those served, from DOWN_NS on, in all */
	bool endless; /* they try for ever without a pause */

	/* How far it is. */
	struct random *random;
	struct event_queue queue;
	struct simulated_gate gate;
	int64_t second; /* the current one, since DOWN_NS */
	int64_t left; /* to serve in it */
	int64_t tenth; /* of a second, the current one */
	int64_t in_tenth;
	int64_t at_once; /* attempts at this moment */
};

/*
 * An attempt begins now, and is counted. Whether it finds the service up, and
 * not too busy.
 */
bool simulated_attempt(struct simulation *simulation);

/*
 * What an attempt of CLIENT's that ends now means for its loop: it is done, or
 * goes on, and then this is true. See after_verdict() in loop.c.
 */
bool simulated_verdict(struct simulation *simulation,
    struct simulated_client *client, bool served);

/* Its pause after an attempt that was not the last. */
void simulated_pause(
    struct simulation *simulation, struct simulated_client *client);

/* It ends now, with that. */
void simulated_end(struct simulation *simulation,
    struct simulated_client *client, enum result result);

/* Until --deadline. */
int64_t simulated_time_left(const struct simulation *simulation);

/* Before the first attempt of each client. */
struct range simulated_splay(const struct simulation *simulation);

#endif
