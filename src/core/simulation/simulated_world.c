/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/loop/next_pause.h"
#include "core/simulation/simulated_world.h"

#define TENTH_NS (NS_PER_S / 10)

/* A probability is drawn as a number below it. */
#define DRAWS (INT64_C(1) << 53)

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

/*
 * Whether an attempt at this time is served. With less than one a second, a
 * second that has none would keep away for ever those who always come in it:
 * then it is the first attempt of each 1 / capacity seconds.
 */
static bool
serve(struct simulation *simulation)
{
	double capacity = simulation->service.capacity;
	int64_t since_ns
	    = simulation->queue.now_ns - simulation->service.down_ns;
	int64_t now;

	if (since_ns < 0)
		return false;
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
	if (simulation->in_tenth > simulation->peak_after_0)
		simulation->peak_after_0 = simulation->in_tenth;
	if (now_ns >= simulation->peak_from_ns
	    && simulation->in_tenth > simulation->peak)
		simulation->peak = simulation->in_tenth;
}

/* Nothing is drawn for a SHARE of 0: the same seed gives the same run. */
static bool
happens(const struct simulation *simulation, double share)
{
	return share > 0
	    && (double)random_between(simulation->random, 0, DRAWS - 1)
	    < share * (double)DRAWS;
}

/* A bucket that leaks at the limit, and holds one request and the burst. */
static bool
is_beyond_limit(struct simulation *simulation)
{
	const struct service *service = &simulation->service;
	int64_t now_ns = simulation->queue.now_ns;
	double excess = 0;

	if (service->limit <= 0)
		return false;
	if (simulation->poured_ns >= 0)
		excess = simulation->excess + 1
		    - (double)(now_ns - simulation->poured_ns) * service->limit
		        / (double)NS_PER_S;
	if (excess > service->burst)
		return true;
	simulation->excess = excess > 0 ? excess : 0;
	simulation->poured_ns = now_ns;
	return false;
}

enum simulated_answer
simulated_attempt(struct simulation *simulation)
{
	const struct service *service = &simulation->service;
	bool up = simulation->queue.now_ns >= service->down_ns;
	enum simulated_answer answer = SIMULATED_FAILED;

	count_attempt(simulation);
	if (up
	    && (happens(simulation, service->refusals)
	        || is_beyond_limit(simulation)))
		answer = SIMULATED_REFUSED;
	else if (serve(simulation) && !happens(simulation, service->failures))
		answer = SIMULATED_SERVED;
	if (up && answer != SIMULATED_SERVED)
		simulation->refused++;
	return answer;
}

int64_t
simulated_stated_ns(
    const struct simulation *simulation, const struct simulated_client *client)
{
	return client->answer == SIMULATED_REFUSED
	    ? simulation->service.retry_after_ns
	    : 0;
}

void
simulated_end(struct simulation *simulation, struct simulated_client *client,
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

static struct budget
time_left(const struct simulation *simulation)
{
	return budget_at(
	    simulation->settings->limits.deadline_ns, simulation->queue.now_ns);
}

int64_t
simulated_time_left(const struct simulation *simulation)
{
	return time_left(simulation).left_ns;
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
		.deadline = time_left(simulation),
		.until = { INT64_MAX, INT64_MAX },
	};
}

void
simulated_pause(struct simulation *simulation, struct simulated_client *client)
{
	static const enum verdict verdicts[] = {
		[SIMULATED_SERVED] = VERDICT_SUCCESS,
		[SIMULATED_FAILED] = VERDICT_RETRY,
		[SIMULATED_REFUSED] = VERDICT_THROTTLE,
	};
	int64_t stated_ns = simulated_stated_ns(simulation, client);
	struct loop_state state = {
		.attempt = client->attempts,
		.count = client->attempts,
		.streak = client->streak,
		.verdict = verdicts[client->answer],
		.outcome.evidence.hint = {
			.has_wait = stated_ns > 0,
			.wait_ns = stated_ns,
		},
	};
	struct pause_context context
	    = pause_context(simulation, &state, client->failures);
	struct pause pause = next_pause(&context, &client->schedule);

	if (pause.kind != PAUSE_DRAWN) {
		simulated_end(simulation, client, RESULT_DEADLINE);
		return;
	}
	client->waiting.at_ns
	    = saturating_add(simulation->queue.now_ns, pause.ns);
	event_queue_put(&simulation->queue, &client->waiting);
}

bool
simulated_verdict(
    struct simulation *simulation, struct simulated_client *client)
{
	const struct limits *limits = &simulation->settings->limits;

	client->attempts++;
	if (client->answer == SIMULATED_SERVED) {
		client->streak++;
	} else {
		client->streak = 0;
		client->failures++;
	}
	if (client->streak == limits->consecutive)
		simulated_end(simulation, client, RESULT_SUCCESS);
	else if (client->attempts >= limits->attempts)
		simulated_end(simulation, client, RESULT_EXHAUSTED);
	else
		return true;
	return false;
}

struct range
simulated_splay(const struct simulation *simulation)
{
	const struct loop_state start = { 0 };
	struct pause_context context = pause_context(simulation, &start, 0);

	return next_pause_splay(&context);
}
