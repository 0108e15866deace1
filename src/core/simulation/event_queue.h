/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_SIMULATION_EVENT_QUEUE_H
#define BACKOFF_CORE_SIMULATION_EVENT_QUEUE_H
/*
 * A priority queue of events, each at its own time: a radix heap (Ahuja,
 * Mehlhorn, Orlin, Tarjan 1990) over hexadecimal digits. Time only goes
 * forward in it, and events at the same time cost next to nothing.
 */

#include <stdint.h>

/* Intrusive node: embed it in whatever waits. The caller owns the memory. */
struct event {
	int64_t at_ns; /* >= 0 */
	struct event *next;
};

/* All 0, it is empty, at time 0. */
struct event_queue {
	int64_t now_ns; /* the time of the event taken last */
	int first; /* all lists before this one are empty */
	struct event *lists[256]; /* by the highest digit that differs */
};

/* WAITING->at_ns must not be before now_ns. */
void event_queue_put(struct event_queue *queue, struct event *waiting);

/*
 * Takes out an event with the earliest time, which becomes now_ns; NULL if
 * the queue is empty. The order of events at the same time is arbitrary, but
 * the same in each run.
 */
struct event *event_queue_take(struct event_queue *queue);

#endif
