/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "duration.h"
#include "outage.h"
#include "pause.h"

#define TENTH_NS (NS_PER_S / 10)

/* So many attempts of each client at one moment are no mere chance. */
#define ENDLESS 1000

/* The least whole number that is not below X >= 0. */
static int64_t
ceiling(double x)
{
	int64_t whole = x < 0x1p63 ? (int64_t)x : INT64_MAX;

	return (double)whole < x ? whole + 1 : whole;
}

/* To serve in second N: what is due by its end less what was by its start. */
static int64_t
due_in_second(double capacity, int64_t n)
{
	int64_t whole = capacity < 0x1p62 ? (int64_t)capacity : INT64_MAX / 2;
	double rest = capacity < 0x1p62 ? capacity - (double)whole : 0;

	return whole + ceiling(rest * (double)(n + 1))
	    - ceiling(rest * (double)n);
}

/* Whether an attempt now finds the service up, and not too busy. */
static bool
serve(struct outage *outage)
{
	int64_t since_ns = outage->queue.now_ns - outage->service.down_ns;

	if (since_ns < 0)
		return false;
	if (since_ns / NS_PER_S != outage->second) {
		outage->second = since_ns / NS_PER_S;
		outage->left
		    = due_in_second(outage->service.capacity, outage->second);
	}
	if (outage->left == 0)
		return false;
	outage->left--;
	return true;
}

static void
count_attempt(struct outage *outage)
{
	int64_t now_ns = outage->queue.now_ns;

	outage->attempts++;
	if (outage->load != NULL)
		load_add(outage->load, now_ns);
	if (now_ns == 0)
		return;
	if (now_ns / TENTH_NS != outage->tenth) {
		outage->tenth = now_ns / TENTH_NS;
		outage->in_tenth = 0;
	}
	outage->in_tenth++;
	if (outage->in_tenth > outage->peak_after_0)
		outage->peak_after_0 = outage->in_tenth;
	if (now_ns >= outage->peak_from_ns && outage->in_tenth > outage->peak)
		outage->peak = outage->in_tenth;
}

static void
leave(struct outage *outage, struct outage_client *client, enum result result)
{
	client->result = result;
	if (result == RESULT_SUCCESS) {
		int64_t wait_ns
		    = outage->queue.now_ns - outage->service.down_ns;

		outage->waits_ns[outage->served++] = wait_ns;
		outage->waited_ns = saturating_add(outage->waited_ns, wait_ns);
	} else if (result == RESULT_EXHAUSTED) {
		outage->exhausted++;
	} else {
		outage->late++;
	}
}

static int64_t
time_left(const struct outage *outage)
{
	int64_t deadline_ns = outage->settings->limits.deadline_ns;

	return deadline_ns == DURATION_INF ? INT64_MAX
	                                   : deadline_ns - outage->queue.now_ns;
}

/* The pause after an attempt of CLIENT's that was not the last. */
static void
pause_client(struct outage *outage, struct outage_client *client)
{
	struct moment moment = {
		.attempt = client->attempts,
		.count = client->attempts,
		.streak = client->streak,
		.verdict = client->streak > 0 ? VERDICT_SUCCESS : VERDICT_RETRY,
	};
	struct pacing pacing = {
		.settings = outage->settings,
		.moment = &moment,
		.failures = client->failures,
		.left_ns = time_left(outage),
		/* It takes no time, but begins before the deadline. */
		.longest_ns = 1,
	};
	struct pause pause = pause_choose(&pacing, &client->schedule);

	if (pause.kind != PAUSE_DRAWN) {
		leave(outage, client, RESULT_DEADLINE);
		return;
	}
	client->last = pause.last;
	client->waiting.at_ns = saturating_add(outage->queue.now_ns, pause.ns);
	queue_put(&outage->queue, &client->waiting);
}

/* One attempt, and what it means for the loop: see after_verdict() there. */
static void
attempt(struct outage *outage, struct outage_client *client)
{
	const struct limits *limits = &outage->settings->limits;

	client->attempts++;
	count_attempt(outage);
	if (serve(outage)) {
		client->streak++;
	} else {
		client->streak = 0;
		client->failures++;
	}
	if (client->streak == limits->consecutive)
		leave(outage, client, RESULT_SUCCESS);
	else if (client->attempts >= limits->attempts)
		leave(outage, client, RESULT_EXHAUSTED);
	else if (client->last)
		leave(outage, client, RESULT_DEADLINE);
	else
		pause_client(outage, client);
}

void
outage_start(struct outage *outage, struct random *random)
{
	struct range splay;

	outage->random = random;
	outage->queue = queue_start();
	outage->attempts = outage->waited_ns = 0;
	outage->peak = outage->peak_after_0 = 0;
	outage->served = outage->exhausted = outage->late = 0;
	outage->in_tenth = outage->at_once = outage->left = 0;
	outage->second = outage->tenth = -1;
	outage->endless = false;
	splay = pause_splay(&outage->settings->limits, time_left(outage));
	for (int64_t i = 0; i < outage->clients_count; i++) {
		struct outage_client *client = &outage->clients[i];

		*client = (struct outage_client) {
			.schedule
			= schedule_start(&outage->settings->policy, random),
			.waiting.at_ns
			= random_between(random, splay.low_ns, splay.high_ns),
		};
		queue_put(&outage->queue, &client->waiting);
	}
}

/* Whether pauses of 0 keep the clients at this moment for ever. */
static bool
is_endless(const struct outage *outage)
{
	return outage->settings->limits.attempts == INT64_MAX
	    && outage->at_once / ENDLESS > outage->clients_count;
}

/* Whose turn it is, at once; or NULL. */
static struct outage_client *
next_client(struct outage *outage)
{
	int64_t before_ns = outage->queue.now_ns;
	struct waiting *waiting = queue_take(&outage->queue);

	outage->at_once
	    = outage->queue.now_ns == before_ns ? outage->at_once + 1 : 0;
	/* It is the first member of the client. */
	return (struct outage_client *)waiting;
}

bool
outage_step(struct outage *outage, int64_t attempts)
{
	for (; attempts > 0; attempts--) {
		struct outage_client *client = next_client(outage);

		outage->endless = is_endless(outage);
		if (client == NULL || outage->endless)
			return false;
		if (time_left(outage) > 0)
			attempt(outage, client);
		else
			leave(outage, client, RESULT_DEADLINE);
	}
	return true;
}

double
outage_progress(const struct outage *outage)
{
	double end_ns = (double)outage->service.down_ns
	    + (double)outage->clients_count / outage->service.capacity
	        * (double)NS_PER_S;
	double deadline_ns = (double)outage->settings->limits.deadline_ns;
	double now_ns = (double)outage->queue.now_ns;
	int64_t ended = outage->served + outage->exhausted + outage->late;

	if (deadline_ns < end_ns)
		end_ns = deadline_ns;
	return now_ns < end_ns && ended < outage->clients_count
	    ? now_ns / end_ns
	    : 1;
}

int64_t
outage_wait(const struct outage *outage, int percent)
{
	int64_t rank = outage->served / 100 * percent
	    + (outage->served % 100 * percent + 99) / 100;

	return rank == 0 ? 0 : outage->waits_ns[rank - 1];
}
