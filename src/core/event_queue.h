/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_EVENT_QUEUE_H
#define BACKOFF_CORE_EVENT_QUEUE_H
/*
 * Who is next, of many that wait for a moment each: a radix heap (Ahuja,
 * Mehlhorn, Orlin, Tarjan 1990) of hexadecimal digits. Time only goes
 * forward in it, and those who wait for the same moment cost next to nothing.
 */

#include <stdint.h>

/* Of the caller's, as a part of who waits. */
struct event {
	int64_t at_ns; /* >= 0 */
	struct event *next;
};

struct event_queue {
	int64_t now_ns; /* what was waited for last */
	int first; /* none of the lists before it has anyone */
	struct event *lists[256]; /* by the highest digit that differs */
};

/* An empty queue at 0. */
struct event_queue event_queue_start(void);

/* WAITING->at_ns is not before now. */
void event_queue_put(struct event_queue *queue, struct event *waiting);

/*
 * Takes out one that waits for the earliest moment, and it is now; NULL
 * where nobody waits. Among those of one moment the order is arbitrary, but
 * the same each time.
 */
struct event *event_queue_take(struct event_queue *queue);

#endif
