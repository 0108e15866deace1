/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/pause/schedule.h"
#include "core/simulation/simulation.h"
#include "unit/tap.h"

#define MANY 1000

static struct event all[MANY];

/* Queues MANY events up to SPAN_NS ahead, and requeues AGAIN * MANY of them. */
static void
goes_on(int64_t span_ns, int again, const char *what)
{
	struct random random = random_from((uint64_t)span_ns);
	struct event_queue queue = { .now_ns = 0 };
	struct event *waiting;
	int64_t before_ns = 0;
	int taken = 0;
	bool in_order = true;

	for (int i = 0; i < MANY; i++) {
		all[i].at_ns = random_between(&random, 0, span_ns);
		event_queue_put(&queue, &all[i]);
	}
	while ((waiting = event_queue_take(&queue)) != NULL) {
		in_order = in_order && waiting->at_ns >= before_ns
		    && waiting->at_ns == queue.now_ns;
		before_ns = waiting->at_ns;
		if (taken++ >= again * MANY)
			continue;
		waiting->at_ns += random_between(&random, 0, span_ns);
		event_queue_put(&queue, waiting);
	}
	ok(in_order, what);
	is_int(taken, (again + 1) * MANY, "  and none is lost");
}

TEST(extremes)
{
	struct event_queue queue = { .now_ns = 0 };
	struct event first = { .at_ns = 0 }, last = { .at_ns = INT64_MAX };
	struct event other = { .at_ns = INT64_MAX - 1 };

	ok(event_queue_take(&queue) == NULL, "an empty queue has nobody");
	event_queue_put(&queue, &last);
	event_queue_put(&queue, &first);
	event_queue_put(&queue, &other);
	ok(event_queue_take(&queue) == &first, "now is first");
	ok(event_queue_take(&queue) == &other, "then what is next to never");
	event_queue_put(&queue, &other);
	ok(event_queue_take(&queue) == &other, "again, without time passing");
	ok(event_queue_take(&queue) == &last, "and never");
	ok(event_queue_take(&queue) == NULL, "it is empty again");
	is_int(queue.now_ns, INT64_MAX, "it is never");
}

TEST(events)
{
	goes_on(INT64_MAX / 20, 15, "over 292 years");
	goes_on(INT64_C(1000000000), 15, "over a second");
	goes_on(1000, 15, "with some at the same moment");
	goes_on(3, 15, "with most");
	goes_on(0, 15, "with all");
}
