/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/simulation/simulated_gate.h"
#include "core/simulation/simulation.h"

/* So many attempts per client within one nanosecond cannot be chance. */
#define ENDLESS 1000

static void
attempt(struct simulation *simulation, struct simulated_client *client)
{
	client->answer = simulated_attempt(simulation);
	if (simulated_verdict(simulation, client))
		simulated_pause(simulation, client);
}

void
simulation_start(struct simulation *simulation, struct random *random)
{
	struct range splay;

	simulation->random = random;
	simulation->queue = event_queue_start();
	simulation->attempts = simulation->waited_ns = 0;
	simulation->peak = simulation->peak_after_0 = 0;
	simulation->down = simulation->refused = 0;
	simulated_gate_start(simulation);
	simulation->served = simulation->exhausted = simulation->late = 0;
	simulation->in_tenth = simulation->at_once = simulation->left = 0;
	simulation->second = simulation->tenth = simulation->poured_ns = -1;
	simulation->endless = false;
	splay = simulated_splay(simulation);
	for (int64_t i = 0; i < simulation->clients_count; i++) {
		struct simulated_client *client = &simulation->clients[i];

		*client = (struct simulated_client) {
			.schedule
			= schedule_start(&simulation->settings->policy, random),
			.waiting.at_ns
			= random_between(random, splay.low_ns, splay.high_ns),
		};
		event_queue_put(&simulation->queue, &client->waiting);
	}
}

/* Also where pauses of 0 keep the clients at this time for ever. */
static bool
is_endless(const struct simulation *simulation)
{
	return (simulation->settings->limits.attempts == INT64_MAX
	           && simulation->at_once / ENDLESS > simulation->clients_count)
	    || (simulation->most > 0
	        && simulation->attempts >= simulation->most);
}

/* Advances the clock to the next attempt; returns its client, or NULL. */
static struct simulated_client *
next_client(struct simulation *simulation)
{
	int64_t before_ns = simulation->queue.now_ns;
	struct event *waiting = event_queue_take(&simulation->queue);

	simulation->at_once = simulation->queue.now_ns == before_ns
	    ? simulation->at_once + 1
	    : 0;
	/* The event is the first member of its client. */
	return (struct simulated_client *)waiting;
}

bool
simulation_step(struct simulation *simulation, int64_t attempts)
{
	for (; attempts > 0; attempts--) {
		struct simulated_client *client = next_client(simulation);

		simulation->endless = client != NULL && is_endless(simulation);
		if (client == NULL || simulation->endless)
			return false;
		if (simulation->machines_count > 0)
			simulated_gate_go(simulation, client);
		else if (simulated_time_left(simulation) > 0)
			attempt(simulation, client);
		else
			simulated_end(simulation, client, RESULT_DEADLINE);
	}
	return true;
}

double
simulation_progress(const struct simulation *simulation)
{
	double end_ns = (double)simulation->service.down_ns
	    + (double)simulation->clients_count
	        / service_rate(&simulation->service) * (double)NS_PER_S;
	double deadline_ns = (double)simulation->settings->limits.deadline_ns;
	double now_ns = (double)simulation->queue.now_ns;
	int64_t ended
	    = simulation->served + simulation->exhausted + simulation->late;

	if (deadline_ns < end_ns)
		end_ns = deadline_ns;
	return now_ns < end_ns && ended < simulation->clients_count
	    ? now_ns / end_ns
	    : 1;
}

int64_t
simulation_wait(const struct simulation *simulation, int percent)
{
	int64_t rank = simulation->served / 100 * percent
	    + (simulation->served % 100 * percent + 99) / 100;

	return rank == 0 ? 0 : simulation->waits_ns[rank - 1];
}
