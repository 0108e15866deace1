/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/simulation/simulation.h"

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
