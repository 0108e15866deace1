/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"

/*
 * How often a run looks: less often the longer nothing moved, so that a slot is
 * free for a thirtieth of the time for which it was taken; with many slots, as
 * a look counts them all; and with many runs before it.
 */
#define NAP_PART 32
#define NAP_LEAST_NS (10 * NS_PER_MS)
#define NAP_OF_SLOT_NS (NS_PER_MS / 10)
#define NAP_MOST_NS (NS_PER_S / 4)
#define FAR_LEAST_NS (100 * NS_PER_MS)
#define FAR_MOST_NS NS_PER_S
#define LOOK_MOST_NS NS_PER_S
#define LOOK_FREE_NS (50 * NS_PER_MS)

/* If a slot stays free for this long, the runs before us are stopped. */
#define STOPPED_NS NS_PER_S

/* If nobody counted for this long, the whole machine stood still. */
#define STILL_NS (2 * NAP_MOST_NS)

struct slots
slots_new(int64_t now_ns)
{
	return (struct slots) { .next = 1, .head = 1, .moved_ns = now_ns };
}

static int64_t
nap_ns(
    const struct slots *slots, int64_t now_ns, const struct slots_visit *visit)
{
	int64_t since_ns = (now_ns - slots->moved_ns) / NAP_PART;

	if (visit->is_far)
		return min_ns(FAR_MOST_NS, max_ns(FAR_LEAST_NS, since_ns));
	return min_ns(NAP_MOST_NS,
	    max_ns(NAP_LEAST_NS + visit->count * NAP_OF_SLOT_NS, since_ns));
}

bool
slots_count_is_due(
    const struct slots *slots, int64_t now_ns, const struct slots_visit *visit)
{
	return visit->is_first || slots->count != visit->count
	    || now_ns - slots->counted_ns >= nap_ns(slots, now_ns, visit);
}

static void
set_count(struct slots *slots, int64_t now_ns, const struct slots_visit *visit)
{
	bool was_full = slots->busy >= slots->count;

	if (visit->busy < visit->count && slots->count == visit->count
	    && (was_full || now_ns - slots->counted_ns > STILL_NS))
		slots->moved_ns = now_ns;
	slots->busy = visit->busy;
	slots->count = visit->count;
	slots->counted_ns = now_ns;
}

/* IN_ORDER, or past stopped runs, which get a slot when they continue. */
static void
go(struct slots *slots, int64_t now_ns, int64_t ticket, bool in_order)
{
	slots->busy++;
	if (slots->busy == slots->count)
		slots->moved_ns = now_ns;
	else if (!in_order)
		slots->moved_ns = now_ns - STOPPED_NS + LOOK_FREE_NS;
	if (!in_order)
		slots->head = slots->passed = ticket + 1;
	else if (ticket >= slots->passed)
		slots->head++;
}

int64_t
slots_look(struct slots *slots, int64_t now_ns, const struct slots_visit *visit)
{
	int64_t place, free, stopped_ns, look_ns;

	slots->next = max_ns(slots->next, visit->ticket + 1);
	if (visit->is_first)
		slots->head = max_ns(slots->head, visit->ticket);
	if (visit->busy >= 0)
		set_count(slots, now_ns, visit);

	place = max_ns(visit->ticket - slots->head, 0);
	free = visit->count - slots->busy;
	stopped_ns = slots->moved_ns + STOPPED_NS
	    + min_ns(saturating_multiply(place, PLACE_NS), PLACES_NS);
	if (place < free || (free > 0 && now_ns >= stopped_ns)) {
		go(slots, now_ns, visit->ticket, place < free);
		return 0;
	}
	look_ns = min_ns(LOOK_MOST_NS,
	    saturating_multiply(
	        nap_ns(slots, now_ns, visit), place / visit->count + 1));
	if (free <= 0)
		return now_ns + look_ns;
	return min_ns(now_ns + min_ns(look_ns, LOOK_FREE_NS), stopped_ns);
}
