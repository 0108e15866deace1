/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "core/judge/outcome.h"
#include "core/simulation/simulation.h"

/* --- the queue of events --- */

#define DIGIT_BITS 4
#define LISTS (64 / DIGIT_BITS << DIGIT_BITS)

/*
 * The list for an event is chosen by the highest digit in which its time
 * differs from now, and then by that digit, so that the lists are in the
 * order of time. Its time is later than now, so that digit is not 0, and
 * list 0 is free for events that are due now.
 */
static int
list_for(const struct event_queue *queue, int64_t at_ns)
{
	uint64_t at = (uint64_t)at_ns;
	uint64_t differs = at ^ (uint64_t)queue->now_ns;
	int place = 0;

	if (differs == 0)
		return 0;
	for (int places = 32 / DIGIT_BITS; places > 0; places /= 2)
		if (differs >> (place + places) * DIGIT_BITS != 0)
			place += places;
	return (place << DIGIT_BITS)
	    + (int)(at >> place * DIGIT_BITS & ((1 << DIGIT_BITS) - 1));
}

void
event_queue_put(struct event_queue *queue, struct event *waiting)
{
	int i = list_for(queue, waiting->at_ns);

	waiting->next = queue->lists[i];
	queue->lists[i] = waiting;
	if (i < queue->first)
		queue->first = i;
}

/*
 * Advances now to the earliest time in LIST, and sorts LIST again. Its
 * events share the digit that put them there, and now has that digit too: so
 * they can only differ in lower digits, and move to earlier lists.
 */
static void
advance(struct event_queue *queue, struct event *list)
{
	struct event *next;

	queue->now_ns = list->at_ns;
	for (next = list->next; next != NULL; next = next->next)
		if (next->at_ns < queue->now_ns)
			queue->now_ns = next->at_ns;
	for (; list != NULL; list = next) {
		next = list->next;
		event_queue_put(queue, list);
	}
}

struct event *
event_queue_take(struct event_queue *queue)
{
	struct event *taken;

	while (queue->first < LISTS && queue->lists[queue->first] == NULL)
		queue->first++;
	if (queue->first == LISTS)
		return NULL;
	if (queue->first > 0) {
		taken = queue->lists[queue->first];
		queue->lists[queue->first] = NULL;
		advance(queue, taken);
	}
	taken = queue->lists[0];
	queue->lists[0] = taken->next;
	return taken;
}

/* --- clients and their service --- */

#define TENTH_NS (NS_PER_S / 10)

/* At a gate; and with late_ns a request reaches the service this much later. */
#define ATTEMPT_NS (NS_PER_S / 5)
#define LATE_NS (10 * NS_PER_MS)

/* So many attempts per client within one nanosecond cannot be chance. */
#define ENDLESS 1000

/* X, 0 <= x < 2^63, rounded up. */
static int64_t
ceiling(double x)
{
	return (int64_t)x + ((double)(int64_t)x < x);
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

/*
 * Whether an attempt at this time, after the outage, is served. Below one a
 * second some seconds would serve nobody, and clients that always come in these
 * would never be served: so the first attempt in each 1 / capacity seconds is.
 */
static bool
serve(struct simulation *simulation)
{
	double capacity = simulation->service.capacity;
	int64_t since_ns
	    = simulation->queue.now_ns - simulation->service.down_ns;
	int64_t now;

	if (capacity <= 0)
		return true;
	now = capacity < 1
	    ? (int64_t)((double)since_ns * capacity / (double)NS_PER_S)
	    : since_ns / NS_PER_S;
	if (now != simulation->second) {
		simulation->second = now;
		simulation->left
		    = capacity < 1 ? 1 : due_in_second(capacity, now);
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
	if (now_ns > NS_PER_S && now_ns < simulation->service.down_ns)
		simulation->down++;
	if (simulation->histogram != NULL)
		histogram_add(simulation->histogram, now_ns);
	if (now_ns == 0)
		return;
	if (now_ns / TENTH_NS != simulation->tenth) {
		simulation->tenth = now_ns / TENTH_NS;
		simulation->in_tenth = 0;
	}
	simulation->in_tenth++;
	simulation->peak_after_0
	    = max_ns(simulation->peak_after_0, simulation->in_tenth);
	if (now_ns >= SIMULATION_STARTED_NS)
		simulation->peak
		    = max_ns(simulation->peak, simulation->in_tenth);
}

/* Nothing is drawn for a SHARE of 0: the same seed gives the same run. */
static bool
happens(const struct simulation *simulation, double share)
{
	return share > 0 && random_unit(simulation->random) < share;
}

/* A bucket that leaks at the limit, and holds one request and the burst. */
static bool
is_beyond_limit(struct simulation *simulation)
{
	const struct service *service = &simulation->service;
	int64_t now_ns = simulation->queue.now_ns;
	double excess = simulation->excess + 1
	    - (double)(now_ns - simulation->poured_ns) * service->limit
	        / (double)NS_PER_S;

	if (service->limit <= 0)
		return false;
	if (excess > service->burst)
		return true;
	simulation->excess = excess > 0 ? excess : 0;
	simulation->poured_ns = now_ns;
	return false;
}

/* The verdict on a request that reaches the service now. */
static enum verdict
request(struct simulation *simulation)
{
	const struct service *service = &simulation->service;
	enum verdict verdict = VERDICT_RETRY;

	count_attempt(simulation);
	if (simulation->queue.now_ns < service->down_ns)
		return VERDICT_RETRY;
	if (happens(simulation, service->refusals)
	    || is_beyond_limit(simulation))
		verdict = VERDICT_THROTTLE;
	else if (serve(simulation) && !happens(simulation, service->failures))
		verdict = VERDICT_SUCCESS;
	simulation->refused += verdict != VERDICT_SUCCESS;
	return verdict;
}

static void
wake_in(struct simulation *simulation, struct simulated_client *client,
    int64_t wait_ns)
{
	client->waiting.at_ns
	    = saturating_add(simulation->queue.now_ns, max_ns(wait_ns, 0));
	event_queue_put(&simulation->queue, &client->waiting);
}

/* Ends the loop of CLIENT now. */
static void
end_client(struct simulation *simulation, struct simulated_client *client,
    enum result result)
{
	client->result = result;
	if (result == RESULT_SUCCESS)
		simulation->waits_ns[simulation->served++]
		    = simulation->queue.now_ns - simulation->service.down_ns;
	else
		simulation->gave_up++;
}

/* How long the last answer to CLIENT asks it to wait; 0: it does not. */
static int64_t
stated_ns(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return client->verdict == VERDICT_THROTTLE
	    ? simulation->service.retry_after_ns
	    : 0;
}

/* Neighbours are on different machines; a fleet's gate is that of the first. */
static struct gate *
gate_of(struct simulation *simulation, const struct simulated_client *client)
{
	int64_t client_i = client - simulation->clients;
	int64_t i = client_i % simulation->machines_count;

	return &simulation->machines[simulation->fleet ? 0 : i];
}

static void
ask_gate(struct simulation *simulation, struct simulated_client *client)
{
	int64_t now_ns = simulation->queue.now_ns;
	int64_t spread_ns = simulation->service.late_ns, late_ns = 0;
	struct gate_answer answer
	    = gate_look(gate_of(simulation, client), now_ns, client->ticket);

	client->ticket = answer.ticket;
	if (answer.until_ns > 0) {
		wake_in(simulation, client, answer.until_ns - now_ns);
		return;
	}
	client->stage = CLIENT_ARRIVES;
	client->began_ns = now_ns;
	if (spread_ns > 0)
		late_ns = LATE_NS
		    + random_between(simulation->random, 0, spread_ns);
	wake_in(simulation, client, late_ns);
}

/* Tells the gate of the attempt of CLIENT, which ends now. */
static struct gate_effect
tell_gate(struct simulation *simulation, struct simulated_client *client)
{
	struct gate *gate = gate_of(simulation, client);
	bool succeeded = client->verdict == VERDICT_SUCCESS;
	int64_t run = client - simulation->clients;
	struct gate_attempt attempt = {
		.outcome = succeeded                      ? GATE_SUCCESS
		    : client->verdict == VERDICT_THROTTLE ? GATE_REFUSAL
		                                          : GATE_FAILURE,
		.run = (uint64_t)run,
		.ticket = client->ticket,
		.is_of_machine = simulation->fleet,
		.began_ns = client->began_ns,
		.ended_ns = simulation->queue.now_ns,
		.stated_ns = stated_ns(simulation, client),
		.reason = "",
	};

	/* To a fleet a machine is what a run is to a machine. */
	if (simulation->fleet)
		attempt.run %= (uint64_t)simulation->machines_count;
	if (!succeeded)
		attempt.pause_ns
		    = gate_pause(gate, &simulation->settings->policy,
		        simulation->random, attempt.stated_ns);
	gate_result(gate, attempt.ended_ns, &attempt);
	client->ticket = 0;
	return gate_effect(gate, &attempt, attempt.ticket != 0);
}

/*
 * What follows the attempt of CLIENT that ends now, by the loop's rules. True:
 * it asks its gate at once.
 */
static bool
after_attempt(struct simulation *simulation, struct simulated_client *client,
    struct gate_effect effect)
{
	int64_t wait_ns = stated_ns(simulation, client);
	struct loop_state state = {
		.attempt = client->attempts + 1,
		.count = client->attempts + 1,
		.streak = client->streak,
		.verdict = client->verdict,
		.outcome.evidence.hint
		= { .has_wait = wait_ns > 0, .wait_ns = wait_ns },
	};
	enum result result = loop_count_attempt(&simulation->settings->limits,
	    &effect, &state, &client->schedule, &client->failures);
	struct pause_context context = {
		.settings = simulation->settings,
		.state = &state,
		.failures = client->failures,
		.elapsed_ns = simulation->queue.now_ns,
		.until_in_ns = INT64_MAX,
	};
	struct random before = *simulation->random;
	struct pause pause = { .kind = PAUSE_DRAWN };

	client->attempts = state.count;
	client->streak = state.streak;
	if (result == RESULT_NONE)
		pause = next_pause(&context, &client->schedule);
	if (pause.kind != PAUSE_DRAWN)
		result = pause.kind == PAUSE_ASKED_BEYOND ? RESULT_STOPPED
		                                          : RESULT_DEADLINE;
	if (result != RESULT_NONE)
		end_client(simulation, client, result);
	else if (effect.waits_at_gate)
		/* Nobody waits for this pause: the next draw replaces it. */
		*simulation->random = before;
	else
		wake_in(simulation, client, pause.ns);
	return result == RESULT_NONE && effect.waits_at_gate;
}

/* Starts an attempt of CLIENT now if time is left and the gate allows it. */
static void
try_to_start(struct simulation *simulation, struct simulated_client *client)
{
	int64_t deadline_ns = simulation->settings->limits.deadline_ns;

	if (deadline_ns < DURATION_INF
	    && simulation->queue.now_ns >= deadline_ns) {
		end_client(simulation, client, RESULT_DEADLINE);
	} else if (simulation->machines_count > 0) {
		ask_gate(simulation, client);
	} else {
		client->verdict = request(simulation);
		after_attempt(simulation, client,
		    (struct gate_effect) { .waits_at_gate = false });
	}
}

/* Takes the next step of CLIENT, whose time has come. */
static void
go_on(struct simulation *simulation, struct simulated_client *client)
{
	switch (client->stage) {
	case CLIENT_ASKS:
		try_to_start(simulation, client);
		break;
	case CLIENT_ARRIVES:
		client->stage = CLIENT_ENDS;
		client->verdict = request(simulation);
		wake_in(simulation, client, ATTEMPT_NS);
		break;
	case CLIENT_ENDS:
		client->stage = CLIENT_ASKS;
		if (after_attempt(
		        simulation, client, tell_gate(simulation, client)))
			try_to_start(simulation, client);
		break;
	}
}

void
simulation_start(struct simulation *simulation, struct random *random)
{
	struct pause_context context
	    = { .settings = simulation->settings, .until_in_ns = INT64_MAX };
	struct range splay = next_pause_splay(&context);

	simulation->random = random;
	simulation->second = -1;
	simulation->excess = -1; /* it is empty before the first request */
	for (int64_t i = 0; i < simulation->machines_count; i++)
		simulation->machines[i] = gate_new();
	for (int64_t i = 0; i < simulation->clients_count; i++) {
		struct simulated_client *client = &simulation->clients[i];

		*client = (struct simulated_client) {
			.schedule
			= schedule_start(&simulation->settings->policy, random),
		};
		wake_in(simulation, client,
		    random_between(random, splay.low_ns, splay.high_ns));
	}
}

bool
simulation_step(struct simulation *simulation, int64_t steps)
{
	for (; steps > 0; steps--) {
		int64_t before_ns = simulation->queue.now_ns;
		struct event *next = event_queue_take(&simulation->queue);
		/* The event is the first member of its client. */
		struct simulated_client *client
		    = (struct simulated_client *)next;

		simulation->at_once = simulation->queue.now_ns == before_ns
		    ? simulation->at_once + 1
		    : 0;
		simulation->endless = client != NULL
		    && simulation->settings->limits.attempts == INT64_MAX
		    && simulation->at_once / ENDLESS
		        > simulation->clients_count;
		if (client == NULL || simulation->endless)
			return false;
		go_on(simulation, client);
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
	int64_t ended = simulation->served + simulation->gave_up;

	if (deadline_ns < end_ns)
		end_ns = deadline_ns;
	return now_ns < end_ns && ended < simulation->clients_count
	    ? now_ns / end_ns
	    : 1;
}

int64_t
simulation_wait(const struct simulation *simulation, int percent)
{
	int64_t rank = (simulation->served * percent + 99) / 100;

	return rank == 0 ? 0 : simulation->waits_ns[rank - 1];
}
