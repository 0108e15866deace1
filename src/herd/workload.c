/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/pause/random.h"
#include "herd/workload.h"

/* So many clients are tried, for so many attempts in all: a blink. */
#define CLIENTS 8
#define HALF 500000

/*
 * When the share of clients that were served tells how many attempts all will
 * make: when it is large, or when each has been refused so often that its
 * pauses hardly grow any more.
 */
#define SERVED_LARGE 0.05
#define SERVED_MIN 0.001
#define REFUSED_OFTEN 20

/*
 * The attempts of a client that makes ATTEMPTS until NOW_NS, half of them
 * until HALF_NS, and goes on until END_NS.
 */
static double
extrapolated(double attempts, int64_t half_ns, int64_t now_ns, int64_t end_ns)
{
	double first = (double)half_ns, second = (double)(now_ns - half_ns);

	if (now_ns <= 0 || now_ns >= end_ns || second > 1.1 * first)
		return attempts;
	return attempts * (double)end_ns / (double)now_ns;
}

double
workload_of_outage(struct simulation simulation, uint64_t seed)
{
	struct random random = random_from(seed);
	int64_t end_ns = min_ns(simulation.service.down_ns,
	    simulation.settings->limits.deadline_ns);
	double clients;
	int64_t half_ns;

	if (simulation.clients_count > CLIENTS)
		simulation.clients_count = CLIENTS;
	clients = (double)simulation.clients_count;
	simulation.service.capacity = CLIENTS;
	simulation.histogram = NULL;
	simulation_start(&simulation, &random);
	simulation_step(&simulation, HALF);
	half_ns = simulation.queue.now_ns;
	if (!simulation_step(&simulation, HALF))
		return (double)simulation.attempts / clients;
	return extrapolated((double)simulation.attempts / clients, half_ns,
	    simulation.queue.now_ns, end_ns);
}

/*
 * While the service is up the same number of clients is served in each second,
 * or in each wave, and the others try again: their number falls linearly. So
 * when a share F has been served, 2F - F^2 of all attempts have been made.
 */
double
workload_of_run(const struct simulation *simulation)
{
	double clients = (double)simulation->clients_count;
	double served = (double)simulation->served / clients;
	double refused = (double)simulation->refused;
	double attempts = (double)simulation->attempts;

	if (served < SERVED_MIN
	    || (served < SERVED_LARGE && refused / clients < REFUSED_OFTEN)
	    || simulation->settings->limits.attempts < INT64_MAX
	    || simulation->settings->limits.deadline_ns < DURATION_INF)
		return attempts;
	return attempts - refused + refused / (served * (2 - served));
}
