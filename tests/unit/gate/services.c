/* SPDX-License-Identifier: MIT */
/*
 * The pace of a gate before services of all kinds: workers that come again as
 * soon as they have been served, for a minute, before which the beginning does
 * not count. tests/rates asks the same of real services. Of twenty seeds, one
 * may miss it: a minute leaves something to chance.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "core/pause/schedule.h"
#include "core/simulation/simulation.h"
#include "unit/tap.h"

#define MOST_WORKERS 100
#define END_NS (70 * NS_PER_S)
#define SEEDS 20
#define COUNTED_NS (10 * NS_PER_S) /* what comes before is the beginning */
#define CLOCK_NS (1000 * NS_PER_S) /* the gate's clock is ahead */

struct server {
	double limit, burst; /* a second; a leaky bucket */
	int down; /* fails for so many seconds */
	int refused, failing; /* percent, by chance */
	int64_t stated_ns; /* what a refusal asks to wait */
	bool mute; /* nobody says that a refusal is one */
};

enum stage {
	ASKS,
	COMES,
	IS_SERVED,
};

struct worker {
	struct event waiting;
	enum stage stage;
	uint64_t ticket;
	int64_t began_ns;
	enum gate_outcome outcome;
	int failures; /* in a row; a gate that paces counts for them */
};

struct play {
	const struct server *service;
	struct random random;
	struct event_queue queue;
	struct worker workers[MOST_WORKERS];
	bool gated;
	struct gate gate;
	double excess;
	int64_t poured_ns;
	int served, refused;
};

static int64_t
draw(struct play *play, int64_t low_ns, int64_t high_ns)
{
	return random_between(&play->random, low_ns, high_ns);
}

static void
wake(struct play *play, struct worker *worker, enum stage stage, int64_t in_ns)
{
	worker->stage = stage;
	worker->waiting.at_ns = play->queue.now_ns + in_ns;
	event_queue_put(&play->queue, &worker->waiting);
}

static bool
is_beyond_limit(struct play *play)
{
	int64_t now_ns = play->queue.now_ns;
	double leaked = play->service->limit
	    * (double)(now_ns - play->poured_ns) / (double)NS_PER_S;
	double excess = play->excess + 1 - leaked;

	if (play->service->limit <= 0)
		return false;
	if (excess > play->service->burst)
		return true;
	play->excess = excess > 0 ? excess : 0;
	play->poured_ns = now_ns;
	return false;
}

static enum gate_outcome
answer(struct play *play)
{
	const struct server *service = play->service;

	if (play->queue.now_ns < service->down * NS_PER_S)
		return GATE_FAILURE;
	if (draw(play, 0, 99) < service->refused || is_beyond_limit(play))
		return service->mute ? GATE_FAILURE : GATE_REFUSAL;
	return draw(play, 0, 99) < service->failing ? GATE_FAILURE
	                                            : GATE_SUCCESS;
}

static void
ask(struct play *play, struct worker *worker)
{
	int64_t now_ns = CLOCK_NS + play->queue.now_ns;
	struct gate_answer go = { .ticket = 0 };

	if (play->gated)
		go = gate_look(&play->gate, now_ns, worker->ticket);
	worker->ticket = go.ticket;
	if (go.until_ns > 0) {
		wake(play, worker, ASKS, max_ns(go.until_ns - now_ns, 1));
		return;
	}
	worker->began_ns = now_ns;
	/* Processes and networks delay a start: by 10 ms, and a spread. */
	wake(play, worker, COMES,
	    10 * NS_PER_MS + draw(play, 0, 2 * NS_PER_MS)
	        + draw(play, 0, 2 * NS_PER_MS));
}

static void
arrive(struct play *play, struct worker *worker)
{
	worker->outcome = answer(play);
	wake(play, worker, IS_SERVED,
	    worker->outcome == GATE_SUCCESS
	        ? draw(play, 150 * NS_PER_MS, 450 * NS_PER_MS)
	        : 20 * NS_PER_MS);
}

/* A second, and three times as much after each failure, up to 30 s. */
static int64_t
window_ns(int failures)
{
	int64_t window_ns = NS_PER_S;

	while (--failures > 0)
		window_ns = min_ns(30 * NS_PER_S, 3 * window_ns);
	return window_ns;
}

static void
end(struct play *play, struct worker *worker)
{
	bool failed = worker->outcome != GATE_SUCCESS;
	int64_t stated_ns
	    = worker->outcome == GATE_REFUSAL ? play->service->stated_ns : 0;
	int64_t now_ns = CLOCK_NS + play->queue.now_ns;
	int64_t pause_ns = stated_ns;
	struct gate_attempt attempt = {
		.outcome = worker->outcome,
		.run = (uint64_t)(worker - play->workers) + 1,
		.ticket = worker->ticket,
		.began_ns = worker->began_ns,
		.ended_ns = now_ns,
		.stated_ns = stated_ns,
		.reason = "exit 22",
	};

	worker->ticket = 0;
	worker->failures = !failed || play->gate.state == GATE_PACED
	    ? failed
	    : worker->failures + 1;
	pause_ns += draw(play, NS_PER_S / 10, window_ns(worker->failures));
	attempt.pause_ns = min_ns(pause_ns, stated_ns + GATE_DUE_NS);
	if (play->gated)
		gate_result(&play->gate, now_ns, &attempt);
	if (play->queue.now_ns >= COUNTED_NS) {
		play->served += !failed;
		play->refused += failed;
	}
	wake(play, worker, ASKS,
	    failed && (play->gate.state != GATE_SHUT || stated_ns > 0)
	        ? pause_ns
	        : 0);
}

struct figures {
	double rate; /* jobs a second */
	double refused; /* for each of them */
};

static struct figures
play_service(
    const struct server *service, int workers, uint64_t seed, bool gated)
{
	struct play play = {
		.service = service,
		.random = random_from(seed),
		.gated = gated,
		.gate = gate_new(),
		.poured_ns = -NS_PER_MIN,
	};

	for (int i = 0; i < workers; i++)
		wake(&play, &play.workers[i], ASKS,
		    draw(&play, 0, 300 * NS_PER_MS));
	while (play.queue.now_ns < END_NS) {
		struct event *event = event_queue_take(&play.queue);
		struct worker *worker = (struct worker *)event;

		if (worker->stage == ASKS)
			ask(&play, worker);
		else if (worker->stage == COMES)
			arrive(&play, worker);
		else
			end(&play, worker);
	}
	return (struct figures) {
		(double)play.served
		    / (double)((END_NS - COUNTED_NS) / NS_PER_S),
		(double)play.refused / play.served,
	};
}

static void
add(struct figures *sum, struct figures figures)
{
	sum->rate += figures.rate;
	sum->refused += figures.refused;
}

TEST(services)
{
	static const struct {
		const char *what;
		int workers;
		struct server service;
		/* Jobs a second: so many, and so much of what no gate does. */
		double rate, share;
		double refused; /* at most, a job */
	} rows[] = {
		{ "5 a second", 30, { .limit = 5 }, 4, 1, 0.15 },
		{ "20 a second", 50, { .limit = 20 }, 16, 1, 0.15 },
		{ "20 a second, told to wait for 1 s", 50,
		    { .limit = 20, .stated_ns = NS_PER_S }, 16, 1, 0.15 },
		{ "100 a second", 100, { .limit = 100 }, 60, 1, 0.15 },
		{ "20 a second and bursts of 20", 50,
		    { .limit = 20, .burst = 20 }, 19, 0.95, 0.15 },
		{ "20 a second, told to wait for a minute", 50,
		    { .limit = 20, .burst = 5, .stated_ns = NS_PER_MIN }, 13,
		    0.8, 0.05 },
		{ "20 a second, and nobody says so", 50,
		    { .limit = 20, .mute = true }, 11, 0.9, 0.3 },
		{ "5 % refused by chance", 40, { .refused = 5 }, 0, 0.8, 0.1 },
		{ "10 % refused by chance", 40, { .refused = 10 }, 0, 0.8,
		    0.2 },
		{ "20 % refused by chance", 40, { .refused = 20 }, 0, 0.5,
		    0.3 },
		{ "20 % fail", 50, { .failing = 20 }, 0, 0.9, 0.3 },
		{ "50 % fail after an outage", 50, { .failing = 50, .down = 6 },
		    0, 0.7, 1.1 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct server *service = &rows[i].service;
		struct figures sum = { 0 }, sum_without = { 0 };
		int reached = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct figures without = play_service(
			    service, rows[i].workers, seed, false);
			struct figures with = play_service(
			    service, rows[i].workers, seed, true);

			add(&sum, with);
			add(&sum_without, without);
			reached += with.rate >= rows[i].rate
			    && with.rate >= rows[i].share * without.rate
			    && with.refused <= rows[i].refused;
		}
		printf("# %s: %.1f jobs a second, %.2f refused for each; "
		       "without a gate %.1f, %.2f; %d of %d\n",
		    rows[i].what, sum.rate / SEEDS, sum.refused / SEEDS,
		    sum_without.rate / SEEDS, sum_without.refused / SEEDS,
		    reached, SEEDS);
		ok(reached >= SEEDS - 1, rows[i].what);
	}
}
