/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_SIMULATED_WORLD_H
#define BACKOFF_CORE_SIMULATION_SIMULATED_WORLD_H
/*
 * The world that a simulation is of: a service, and clients that want to be
 * served. simulation.h says what happens in it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/charts/chart.h"
#include "core/gate/gate.h"
#include "core/loop/loop_state.h"
#include "core/loop/settings.h"
#include "core/pause/random.h"
#include "core/simulation/event_queue.h"
#include "core/simulation/service.h"

/* What the service makes of a request. */
enum simulated_answer {
	SIMULATED_SERVED,
	SIMULATED_FAILED,
	SIMULATED_REFUSED, /* told to slow down */
};

/* Where a client is that passes a gate. */
enum simulated_stage {
	CLIENT_ASKS, /* the gate whether it may start */
	CLIENT_COMES, /* its request is on the way */
	CLIENT_TRIES,
};

struct simulated_client {
	struct event waiting; /* at the time of its next, or last, attempt */
	struct schedule schedule;
	int64_t attempts; /* that count for --attempts */
	int64_t failures;
	int64_t streak; /* successes in a row */
	enum result result; /* SUCCESS, EXHAUSTED, DEADLINE; NONE so far */

	enum simulated_answer answer; /* to the last attempt */

	/* At a gate. */
	enum simulated_stage stage;
	uint64_t ticket; /* 0: it has none */
	int64_t began_ns;
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
	int64_t machines_count; /* that have a gate; 0: there is none */
	struct gate *machines; /* machines_count of them */
	bool fleet; /* one gate for all of them */
	int64_t most; /* attempts of a run, or 0: no limit */

	/* Results. */
	int64_t attempts; /* of all clients, including the first ones */
	int64_t peak; /* most in a tenth of a second, from peak_from_ns on */
	int64_t peak_after_0; /* the same, of all attempts but those at 0 */
	int64_t down; /* attempts before DOWN_NS, after the first second */
	int64_t refused; /* attempts that failed after DOWN_NS */
	int64_t served; /* number of clients that were served */
	int64_t exhausted; /* that gave up because of --attempts */
	int64_t late; /* that gave up because of --deadline */
	int64_t waited_ns; /* sum of the waits after DOWN_NS until served */
	bool endless; /* they try without a pause, or more than MOST */

	/* State. */
	struct random *random;
	struct event_queue queue;
	struct gate shared; /* of the fleet */
	int64_t second; /* the current one, from DOWN_NS, or 1 / capacity */
	int64_t left; /* how many can still be served in it */
	double excess; /* in the bucket of the limit, */
	int64_t poured_ns; /* at this time; < 0: never */
	int64_t tenth; /* the current tenth of a second */
	int64_t in_tenth; /* attempts in it */
	int64_t at_once; /* attempts at the current nanosecond */
};

/* Counts an attempt that reaches the service now. */
enum simulated_answer simulated_attempt(struct simulation *simulation);

/* How long the answer that CLIENT had asks it to wait; 0: it does not. */
int64_t simulated_stated_ns(
    const struct simulation *simulation, const struct simulated_client *client);

/*
 * Decides after an attempt of CLIENT, as after_verdict() of loop.c does.
 * False: that was its last.
 */
bool simulated_verdict(
    struct simulation *simulation, struct simulated_client *client);

/* Lets CLIENT pause after an attempt that was not its last. */
void simulated_pause(
    struct simulation *simulation, struct simulated_client *client);

/* Ends the loop of CLIENT now. */
void simulated_end(struct simulation *simulation,
    struct simulated_client *client, enum result result);

/* The time that is left until --deadline. */
int64_t simulated_time_left(const struct simulation *simulation);

/* The range of the wait before the first attempt of each client. */
struct range simulated_splay(const struct simulation *simulation);

#endif
