/* SPDX-License-Identifier: MIT */
/*
 * A service that goes down as a whole: how soon its gate shuts. Requests come
 * at random, each of another run, and take some time; from one moment on all
 * that end fail.
 */
#include <config.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/gate/gate.h"
#include "core/pause/random.h"
#include "core/simulation/event_queue.h"
#include "unit/tap.h"

#define SEEDS 20
#define MS (NS_PER_S / 1000)
#define DOWN (5 * NS_PER_S)
#define REST (4 * NS_PER_S) /* that is looked at */
#define MOST 100000 /* requests */

struct request {
	struct event event;
	int64_t began_ns; /* < 0: it has not */
};

static struct request requests[MOST];

/* What has come of it. */
struct shut {
	int64_t after_ns; /* it was down for so long; < 0: never */
	int64_t failures; /* all that there were until then */
	int64_t early; /* so often it was not open before */
};

static struct gate_decision
end(struct gate_record *record, const struct request *request, int64_t now_ns)
{
	const struct gate_run run
	    = { .id = (uint64_t)(request - requests) + 1 };
	const struct gate_attempt attempt = {
		.outcome = now_ns < DOWN ? GATE_ENDED_WELL : GATE_FAILED,
		.began_ns = request->began_ns,
		.ended_ns = now_ns,
		.pause_ns = NS_PER_S,
		.reason = "exit 7",
	};

	return gate_end(record, now_ns, &run, &attempt);
}

/* All requests, RATE a second. */
static struct event_queue
arrive(double rate, struct random *random)
{
	struct event_queue queue = event_queue_start();
	double mean_ns = 1e9 / rate;
	int64_t at_ns = 0;

	for (size_t i = 0; i < MOST && at_ns < DOWN + REST; i++) {
		/* Twice the mean at most: no quiet time of chance. */
		at_ns += (int64_t)(2 * mean_ns * random_unit(random));
		requests[i].event.at_ns = at_ns;
		requests[i].began_ns = -1;
		event_queue_put(&queue, &requests[i].event);
	}
	return queue;
}

/* A request takes U[1ms, LONG_NS]. */
static struct shut
simulate(double rate, int64_t long_ns, uint64_t seed)
{
	struct random random = random_from(seed);
	struct event_queue queue = arrive(rate, &random);
	struct gate_record record = gate_record_new();
	const struct gate_run nobody = { .id = 1 };
	struct shut shut = { .after_ns = -1 };
	struct event *event;

	while ((event = event_queue_take(&queue)) != NULL) {
		struct request *request = (struct request *)event;
		int64_t now_ns = queue.now_ns;

		if (request->began_ns < 0) {
			shut.early += gate_ask(&record, now_ns, &nobody).kind
			    != GATE_START;
			request->began_ns = now_ns;
			event->at_ns
			    = now_ns + random_between(&random, MS, long_ns);
			event_queue_put(&queue, event);
			continue;
		}
		end(&record, request, now_ns);
		shut.failures += now_ns >= DOWN;
		if (record.state == GATE_SHUT) {
			shut.after_ns = now_ns - DOWN;
			break;
		}
	}
	return shut;
}

/* At RATE a second, the worst of all seeds is within these. */
static void
shuts(double rate, int64_t most_ns, int64_t most)
{
	static const int64_t lengths[] = { 5 * MS, 300 * MS };
	struct shut worst = { 0, 0, 0 };
	char what[80];
	bool always = true;

	for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct shut shut = simulate(rate, lengths[i], seed);

			always = always && shut.after_ns >= 0;
			worst.after_ns = max_ns(worst.after_ns, shut.after_ns);
			worst.failures = max_ns(worst.failures, shut.failures);
			worst.early += shut.early;
		}
	snprintf(what, sizeof what, "%g a second: it shuts", rate);
	ok(always, what);
	is_int(worst.early, 0, "... and did not before");
	is_between(worst.after_ns, 0, most_ns, "... in time");
	is_between(worst.failures, 3, most, "... after few failures");
	printf("# %g a second: %.3f s, %" PRId64 " failures\n", rate,
	    (double)worst.after_ns / NS_PER_S, worst.failures);
}

/* One job each GAP_NS fails: after how many the gate shuts; 0: it does not. */
static int64_t
fail_each(int64_t gap_ns)
{
	struct gate_record record = gate_record_new();

	for (int64_t i = 1; i <= 100; i++) {
		requests[i].began_ns = DOWN + i * gap_ns;
		end(&record, &requests[i], requests[i].began_ns + MS);
		if (record.state == GATE_SHUT)
			return i;
	}
	return 0;
}

int
main(void)
{
	shuts(5, 2 * NS_PER_S, 25);
	shuts(20, 2 * NS_PER_S, 25);
	shuts(100, 2 * NS_PER_S, 25);
	shuts(200, 2 * NS_PER_S, 25);
	shuts(1000, 2 * NS_PER_S, 25);
	shuts(10000, 2 * NS_PER_S, 25);
	is_int(fail_each(NS_PER_MIN), 3,
	    "one job a minute: shut after three failures");
	is_int(
	    fail_each(5 * NS_PER_MIN), 3, "a row has gaps of up to 5 minutes");
	is_int(fail_each(5 * NS_PER_MIN + 1), 0, "... and of no more");
	return done();
}
