/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_SIMULATION_H
#define BACKOFF_CORE_SIMULATION_SIMULATION_H
/*
 * Simulates many clients and a service that is down and comes back. Each
 * client follows the rules of the loop (loop.h), with the same pauses
 * (next_pause.c) and the same limits, but an attempt takes no time.
 *
 * All clients start at 0, each after its splay. Until DOWN_NS all attempts
 * fail. After that, the first CAPACITY attempts in each second, counted from
 * there, are served, and all others fail. With less than one a second it is
 * the first attempt of each 1 / CAPACITY seconds. A service may refuse instead
 * what is beyond a limit. There is no time of day, and so no --until.
 *
 * With gates (gate.h) an attempt takes a fifth of a second, so that there are
 * stragglers, and nobody dies. Each machine has a gate, or the fleet has one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/charts/charts.h"
#include "core/gate/gate.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"

/*
 * --- A priority queue of events, each at its own time: a radix heap (Ahuja,
 * Mehlhorn, Orlin, Tarjan 1990) over hexadecimal digits. Time only goes
 * forward in it, and events at the same time cost next to nothing. ---
 */

/* Intrusive node: embed it in whatever waits. The caller owns the memory. */
struct event {
	int64_t at_ns; /* >= 0 */
	struct event *next;
};

/* All 0, it is empty, at time 0. */
struct event_queue {
	int64_t now_ns; /* the time of the event taken last */
	int first; /* all lists before this one are empty */
	struct event *lists[256]; /* by the highest digit that differs */
};

/* WAITING->at_ns must not be before now_ns. */
void event_queue_put(struct event_queue *queue, struct event *waiting);

/*
 * Takes out an event with the earliest time, which becomes now_ns; NULL if
 * the queue is empty. The order of events at the same time is arbitrary, but
 * the same in each run.
 */
struct event *event_queue_take(struct event_queue *queue);

/* --- the simulation --- */

/* Attempts before this time still belong to the clients' common start. */
#define SIMULATION_STARTED_NS (5 * INT64_C(1000000000))

/* The service that the clients need. */
struct service {
	int64_t down_ns; /* >= 0 */
	/* Served a second; 0.5: one every 2 seconds. What is beyond it fails.
	 * 0, with a limit: all that the limit lets through. */
	double capacity;
	/* The share of requests that fail by themselves, 0..0.99; they take
	 * as much of the capacity as others. */
	double failures;

	/* Requests a second that are not refused, and how many more at once:
	 * a leaky bucket, as of nginx. A limit of 0: there is none. */
	double limit, burst;
	double refusals; /* the share refused by chance, 0..0.99 */
	int64_t retry_after_ns; /* what a refusal asks for; 0: nothing */
	int64_t late_ns; /* how far apart requests that start together arrive */
};

/* How many a second it serves at most. */
static inline double
service_rate(const struct service *service)
{
	return service->capacity > 0 ? service->capacity : service->limit;
}

struct simulated_client {
	struct event waiting; /* for the time of what it does next */
	struct schedule schedule;
	int64_t attempts; /* that count for --attempts */
	int64_t failures; /* n of the windows */
	int64_t streak; /* successes in a row */
	enum verdict
	    verdict; /* on the last attempt: SUCCESS, RETRY, THROTTLE */
	enum result result; /* NONE so far */

	/* At a gate, what it does next. */
	enum {
		CLIENT_ASKS, /* whether it may start an attempt */
		CLIENT_ARRIVES, /* its request, at the service */
		CLIENT_ENDS, /* the attempt */
	} stage;
	uint64_t ticket; /* 0: it has none */
	int64_t began_ns; /* the attempt */
};

struct simulation {
	/* Input. The caller owns the memory. */
	const struct settings *settings; /* of each client */
	struct service service;
	int64_t clients_count; /* >= 1 */
	struct simulated_client *clients; /* clients_count of them */
	int64_t *waits_ns; /* room for clients_count */
	struct histogram *histogram; /* counts the attempts as well, or NULL */
	int64_t machines_count; /* that have a gate; 0: there is none */
	struct gate *machines; /* machines_count of them */
	bool fleet; /* one gate for all of them */

	/* Results. */
	int64_t attempts; /* of all clients, including the first ones */
	int64_t peak_after_0; /* most in a tenth of a second, but those at 0 */
	int64_t peak; /* the same, from SIMULATION_STARTED_NS on */
	int64_t down; /* attempts before DOWN_NS, after the first second */
	int64_t refused; /* attempts that failed after DOWN_NS */
	int64_t served; /* clients; waits_ns has their waits after DOWN_NS */
	int64_t gave_up; /* clients that were not */
	bool endless; /* they try without a pause */

	/* State. */
	struct random *random;
	struct event_queue queue;
	int64_t second; /* the current one, from DOWN_NS, or 1 / capacity */
	int64_t left; /* how many can still be served in it */
	double excess; /* in the bucket of the limit, */
	int64_t poured_ns; /* at this time */
	int64_t tenth; /* the current tenth of a second */
	int64_t in_tenth; /* attempts in it */
	int64_t at_once; /* events at the current nanosecond */
};

/* Starts a run: the input is set, and all else is 0. */
void simulation_start(struct simulation *simulation, struct random *random);

/*
 * Simulates at most STEPS further steps: attempts, and at a gate also what is
 * before and after them. False: the run has ended, or never will, and then
 * ENDLESS is set.
 */
bool simulation_step(struct simulation *simulation, int64_t steps);

/* Roughly how much of the run is done, 0..1. It never decreases. */
double simulation_progress(const struct simulation *simulation);

/*
 * How long after DOWN_NS this percentage (1..100) of the served clients had
 * been served, by the nearest-rank method; 0 if none was.
 */
int64_t simulation_wait(const struct simulation *simulation, int percent);

#endif
