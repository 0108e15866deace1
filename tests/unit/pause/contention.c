/* SPDX-License-Identifier: MIT */
/*
 * The contention model of Brooker, "Exponential Backoff And Jitter" (AWS
 * Architecture Blog, 2015): clients of one optimistic lock, each of which
 * must succeed once. It measures what a schedule does to other clients, and
 * the figures of other implementations are known.
 */
#include <config.h>

#include <math.h>

#include "core/base/duration.h"
#include "core/pause/schedule.h"
#include "core/simulation/event_queue.h"
#include "unit/tap.h"

#define MS NS_PER_MS
#define CLIENTS 100
#define RUNS 40
#define TABLE_RUNS 400 /* the expected figures are means of so many runs */
#define PI 3.14159265358979323846

enum message {
	ASKS, /* the client asks for the row */
	SHOWS, /* the server sends its version */
	WRITES, /* the client writes, if that is still the version */
	REFUSES, /* the server refuses the write */
	ACCEPTS, /* the server accepts the write */
};

struct client {
	struct event waiting;
	struct schedule schedule;
	int64_t failures;
	int64_t version; /* of the row, as it was read */
	enum message message; /* the message under way */
};

struct contest {
	struct random *random;
	bool backs_off;
	struct client clients[CLIENTS];
	struct event_queue queue; /* for their messages to arrive */
	int64_t version; /* of the row */
	int64_t calls; /* writes */
};

/* The absolute value of Normal(10 ms, 2 ms) (Box and Muller 1958). */
static int64_t
net_delay(struct random *random)
{
	double radius = sqrt(-2 * log(1 - random_unit(random)));
	double angle = 2 * PI * random_unit(random);

	return (int64_t)(fabs(10 + 2 * radius * cos(angle)) * (double)MS);
}

static void
begin(struct contest *contest, const struct policy *policy)
{
	contest->queue = event_queue_start();
	contest->calls = contest->version = 0;
	for (int i = 0; i < CLIENTS; i++) {
		struct client *client = &contest->clients[i];

		*client = (struct client) {
			.schedule = schedule_start(policy, contest->random),
			.message = ASKS,
			.waiting.at_ns = net_delay(contest->random),
		};
		event_queue_put(&contest->queue, &client->waiting);
	}
}

/* What the client or the server sends when it gets CLIENT's message. */
static void
answer(struct contest *contest, struct client *client)
{
	int64_t wait_ns = net_delay(contest->random);

	switch (client->message) {
	case ASKS:
		client->version = contest->version;
		client->message = SHOWS;
		break;
	case SHOWS:
		client->message = WRITES;
		break;
	case WRITES:
		contest->calls++;
		client->message
		    = client->version == contest->version ? ACCEPTS : REFUSES;
		contest->version += client->message == ACCEPTS;
		break;
	case REFUSES:
		client->failures++;
		if (contest->backs_off)
			wait_ns += schedule_draw(
			    &client->schedule, client->failures, false);
		client->message = ASKS;
		break;
	case ACCEPTS:
		return;
	}
	client->waiting.at_ns += wait_ns;
	event_queue_put(&contest->queue, &client->waiting);
}

static void
play(struct contest *contest, const struct policy *policy)
{
	struct event *waiting;

	begin(contest, policy);
	while ((waiting = event_queue_take(&contest->queue)) != NULL)
		answer(contest, (struct client *)waiting);
}

/* A row of the table: means over its runs, and standard deviations. */
struct figures {
	double ms, ms_deviation;
	double calls, calls_deviation;
};

/* Both means have an error: that of the table, and the one measured here. */
static void
agrees(double got, double wanted, double deviation, const char *what)
{
	double error = deviation * sqrt(1.0 / RUNS + 1.0 / TABLE_RUNS);

	ok(fabs(got - wanted) < 4 * error, what);
	printf("# got %.1f, wanted %.1f, off by %+.1f standard errors\n", got,
	    wanted, (got - wanted) / error);
}

/* Compares POLICY, or no pauses if it is NULL, with a row of the table. */
static void
contend(const char *what, const struct policy *policy, struct figures wanted)
{
	static const struct policy none;
	struct random random = random_from(2015);
	struct contest contest = {
		.random = &random,
		.backs_off = policy != NULL,
	};
	double ms = 0, calls = 0;

	for (int i = 0; i < RUNS; i++) {
		play(&contest, policy != NULL ? policy : &none);
		ms += (double)contest.queue.now_ns / (double)MS / RUNS;
		calls += (double)contest.calls / RUNS;
	}
	agrees(calls, wanted.calls, wanted.calls_deviation, what);
	agrees(ms, wanted.ms, wanted.ms_deviation, "  in the same time");
}

/* The model counts failures from 1, and its first window is 2 * 5 ms. */
static struct policy
policy_of(enum growth growth, int64_t base_ns, double factor)
{
	return (struct policy) {
		.growth = growth,
		.base_ns = base_ns,
		.factor = factor,
		.cap_ns = 2000 * MS,
		.max_exponent = INT64_MAX,
		.jitter.kind = JITTER_FULL,
	};
}

/* What AWS compared, as measured with the simulator that AWS published. */
static void
test_aws(void)
{
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, 10 * MS, 2);

	contend("no pauses", NULL, (struct figures) { 2026, 42, 2422, 33 });
	contend("full", &policy, (struct figures) { 4886, 503, 795.8, 6.9 });
	policy.jitter.kind = JITTER_EQUAL;
	contend("equal", &policy, (struct figures) { 6603, 642, 812.4, 7.8 });
	policy.jitter.kind = JITTER_NONE;
	contend("exponential without jitter", &policy,
	    (struct figures) { 63391, 3781, 1855, 57 });
	policy.jitter.kind = JITTER_DECORRELATED;
	policy.base_ns = 5 * MS;
	contend("decorrelated, its window capped", &policy,
	    (struct figures) { 4249, 526, 1001.2, 28.7 });
	policy.cap_mode = CAP_AFTER;
	contend("decorrelated, capped after the draw", &policy,
	    (struct figures) { 4591, 702, 1002.3, 27.9 });
}

static void
test_others(void)
{
	struct policy policy = policy_of(GROWTH_EXPONENTIAL, 15 * MS / 2, 1.5);

	contend(
	    "factor 1.5", &policy, (struct figures) { 4268, 524, 1087.5, 8.6 });
	policy = policy_of(GROWTH_BINARY, 5 * MS, 2);
	policy.slot_ns = 5 * MS;
	policy.max_exponent = 8;
	contend("slots up to 2^8", &policy,
	    (struct figures) { 4117, 359, 806.8, 8.6 });
	policy = policy_of(GROWTH_EXPONENTIAL, 10 * MS, 2);
	policy.jitter.kind = JITTER_SMOOTH;
	policy.cap_mode = CAP_AFTER;
	contend("Polly with twice the base", &policy,
	    (struct figures) { 6200, 1091, 799.2, 6.9 });
	policy.cap_mode = CAP_BEFORE;
	policy.jitter = (struct jitter) { JITTER_SCALE, 0.5, 1.5, 0 };
	contend("50 %", &policy, (struct figures) { 6558, 874, 732.9, 6.6 });
}

TESTS
{
	test_aws();
	test_others();
}
