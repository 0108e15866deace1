/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/simulation.h"
#include "core/next_pause.h"

#define TENTH_NS (NS_PER_S / 10)

/* So many attempts per client within one nanosecond cannot be chance. */
#define ENDLESS 1000

/* X >= 0, rounded up. */
static int64_t
ceiling(double x)
{
	int64_t whole = x < 0x1p63 ? (int64_t)x : INT64_MAX;

	return (double)whole < x ? whole + 1 : whole;
}

/* How many are served in second N: all due by its end less those before. */
static int64_t
due_in_second(double capacity, int64_t n)
{
	int64_t whole = capacity < 0x1p62 ? (int64_t)capacity : INT64_MAX / 2;
	double rest = capacity < 0x1p62 ? capacity - (double)whole : 0;

	return whole + ceiling(rest * (double)(n + 1))
	    - ceiling(rest * (double)n);
}

/* Whether an attempt at this time is served. */
static bool
serve(struct simulation *simulation)
{
	int64_t since_ns
	    = simulation->queue.now_ns - simulation->service.down_ns;

	if (since_ns < 0)
		return false;
	if (since_ns / NS_PER_S != simulation->second) {
		simulation->second = since_ns / NS_PER_S;
		simulation->left = due_in_second(
		    simulation->service.capacity, simulation->second);
	}
	if (simulation->left == 0)
		return false;
	simulation->left--;
	return true;
}

static void
count_attempt(struct simulation *simulation)
{
	int64_t now_ns = simulation->queue.now_ns;

	simulation->attempts++;
	if (simulation->histogram != NULL)
		histogram_add(simulation->histogram, now_ns);
	if (now_ns == 0)
		return;
	if (now_ns / TENTH_NS != simulation->tenth) {
		simulation->tenth = now_ns / TENTH_NS;
		simulation->in_tenth = 0;
	}
	simulation->in_tenth++;
	if (simulation->in_tenth > simulation->peak_after_0)
		simulation->peak_after_0 = simulation->in_tenth;
	if (now_ns >= simulation->peak_from_ns
	    && simulation->in_tenth > simulation->peak)
		simulation->peak = simulation->in_tenth;
}

static void
leave(struct simulation *simulation, struct simulated_client *client,
    enum result result)
{
	client->result = result;
	if (result == RESULT_SUCCESS) {
		int64_t wait_ns
		    = simulation->queue.now_ns - simulation->service.down_ns;

		simulation->waits_ns[simulation->served++] = wait_ns;
		simulation->waited_ns
		    = saturating_add(simulation->waited_ns, wait_ns);
	} else if (result == RESULT_EXHAUSTED) {
		simulation->exhausted++;
	} else {
		simulation->late++;
	}
}

static int64_t
time_left(const struct simulation *simulation)
{
	int64_t deadline_ns = simulation->settings->limits.deadline_ns;

	return deadline_ns == DURATION_INF
	    ? INT64_MAX
	    : deadline_ns - simulation->queue.now_ns;
}

/* The context for next_pause() of a client with this STATE and FAILURES. */
static struct pause_context
pause_context(const struct simulation *simulation,
    const struct loop_state *state, int64_t failures)
{
	return (struct pause_context) {
		.settings = simulation->settings,
		.state = state,
		.failures = failures,
		.deadline = { simulation->settings->limits.deadline_ns,
		    time_left(simulation) },
		.until = { INT64_MAX, INT64_MAX },
	};
}

/* Lets CLIENT pause after an attempt that was not its last. */
static void
pause_client(struct simulation *simulation, struct simulated_client *client)
{
	struct loop_state state = {
		.attempt = client->attempts,
		.count = client->attempts,
		.streak = client->streak,
		.verdict = client->streak > 0 ? VERDICT_SUCCESS : VERDICT_RETRY,
	};
	struct pause_context context
	    = pause_context(simulation, &state, client->failures);
	struct pause pause = next_pause(&context, &client->schedule);

	if (pause.kind != PAUSE_DRAWN) {
		leave(simulation, client, RESULT_DEADLINE);
		return;
	}
	client->waiting.at_ns
	    = saturating_add(simulation->queue.now_ns, pause.ns);
	event_queue_put(&simulation->queue, &client->waiting);
}

/* Makes one attempt, and decides as after_verdict() of loop.c does. */
static void
attempt(struct simulation *simulation, struct simulated_client *client)
{
	const struct limits *limits = &simulation->settings->limits;

	client->attempts++;
	count_attempt(simulation);
	if (serve(simulation)) {
		client->streak++;
	} else {
		client->streak = 0;
		client->failures++;
	}
	if (client->streak == limits->consecutive)
		leave(simulation, client, RESULT_SUCCESS);
	else if (client->attempts >= limits->attempts)
		leave(simulation, client, RESULT_EXHAUSTED);
	else
		pause_client(simulation, client);
}

void
simulation_start(struct simulation *simulation, struct random *random)
{
	const struct loop_state start = { 0 };
	struct pause_context context;
	struct range splay;

	simulation->random = random;
	simulation->queue = event_queue_start();
	simulation->attempts = simulation->waited_ns = 0;
	simulation->peak = simulation->peak_after_0 = 0;
	simulation->served = simulation->exhausted = simulation->late = 0;
	simulation->in_tenth = simulation->at_once = simulation->left = 0;
	simulation->second = simulation->tenth = -1;
	simulation->endless = false;
	context = pause_context(simulation, &start, 0);
	splay = next_pause_splay(&context);
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

/* Whether pauses of 0 keep the clients at this time for ever. */
static bool
is_endless(const struct simulation *simulation)
{
	return simulation->settings->limits.attempts == INT64_MAX
	    && simulation->at_once / ENDLESS > simulation->clients_count;
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

		simulation->endless = is_endless(simulation);
		if (client == NULL || simulation->endless)
			return false;
		if (time_left(simulation) > 0)
			attempt(simulation, client);
		else
			leave(simulation, client, RESULT_DEADLINE);
	}
	return true;
}

double
simulation_progress(const struct simulation *simulation)
{
	double end_ns = (double)simulation->service.down_ns
	    + (double)simulation->clients_count / simulation->service.capacity
	        * (double)NS_PER_S;
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
