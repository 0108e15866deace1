/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/loop/loop.h"

/* The least reserve for an attempt: this part of the limit, ... */
#define RESERVE_PART 10
/* ... but no more than this. */
#define RESERVE_MOST_NS NS_PER_S

/* The least room for a pause: the first one, or this part if that is less. */
#define LEAST_ROOM_PART 10

/*
 * What a limit of TOTAL_NS, from the start of the loop, leaves for a pause if
 * an attempt needs NEEDED_NS of it.
 */
static struct room
room_in(
    const struct pause_context *context, int64_t total_ns, int64_t needed_ns)
{
	const struct policy *policy = &context->settings->policy;
	int64_t reserve_ns = max_ns(
	    needed_ns, min_ns(total_ns / RESERVE_PART, RESERVE_MOST_NS));
	int64_t first_ns;

	if (total_ns == INT64_MAX)
		return (struct room) { .ns = INT64_MAX };
	first_ns = min_ns(schedule_window(policy, 1), policy->cap_ns);
	return (
	    struct room) { .ns = total_ns - context->elapsed_ns - reserve_ns,
		.least_ns = min_ns(first_ns, total_ns / LEAST_ROOM_PART) };
}

struct room
next_pause_room(const struct pause_context *context)
{
	int64_t most_ns = saturating_multiply(
	    context->longest_ns, context->longest_was_cut ? 1 : 2);
	const struct limits *limits = &context->settings->limits;
	/* No attempt can need more than --timeout. */
	struct room deadline = room_in(
	    context, limits->deadline_ns, min_ns(most_ns, limits->timeout_ns));
	/* --until lets a running attempt finish, so it needs no time. */
	struct room until = room_in(context, context->until_in_ns, 0);

	until.is_by_until = true;
	return until.ns < deadline.ns ? until : deadline;
}

struct range
next_pause_splay(const struct pause_context *context)
{
	struct range splay = context->settings->limits.splay;
	struct room room = next_pause_room(context);

	return splay.high_ns <= room.ns
	    ? splay
	    : (struct range) { room.ns / 2, room.ns };
}

/* What is left of a pause at the end of the attempt, for --from=start. */
static int64_t
from_end(const struct pause_context *context, int64_t pause_ns)
{
	const struct outcome *outcome = &context->state->outcome;
	int64_t ran_ns = outcome->ended_ns - outcome->started_ns;

	if (!context->settings->limits.from_start || ran_ns == 0)
		return pause_ns;
	return max_ns(pause_ns - ran_ns, context->settings->policy.floor_ns);
}

/* *RANGE is the schedule's, if that fits into ROOM; else a part of ROOM. */
static bool
fits(const struct pause_context *context, const struct schedule *schedule,
    struct room room, struct range *range)
{
	bool is_random = schedule->policy->jitter.kind != JITTER_NONE;

	*range = schedule_range(schedule, context->failures,
	    context->state->verdict == VERDICT_THROTTLE);
	range->low_ns = from_end(context, range->low_ns);
	range->high_ns = from_end(context, range->high_ns);
	if (range->high_ns <= room.ns)
		return true;
	range->low_ns = is_random ? room.ns / 2 : room.ns;
	range->high_ns = room.ns;
	return false;
}

bool
next_pause_range(const struct pause_context *context,
    const struct schedule *schedule, struct range *range)
{
	struct room room = next_pause_room(context);

	fits(context, schedule, room, range);
	return room.ns >= room.least_ns;
}

static int64_t
draw(const struct pause_context *context, struct schedule *schedule,
    struct room room)
{
	bool throttled = context->state->verdict == VERDICT_THROTTLE;
	struct range range;
	int64_t pause_ns;

	/* Without a limit, nothing has to fit. */
	if (room.ns == INT64_MAX || fits(context, schedule, room, &range))
		return from_end(context,
		    schedule_draw(schedule, context->failures, throttled));
	pause_ns
	    = random_between(schedule->random, range.low_ns, range.high_ns);
	if (!throttled)
		schedule_remember(schedule, pause_ns);
	return pause_ns;
}

struct pause
next_pause(const struct pause_context *context, struct schedule *schedule)
{
	const struct hint *hint = &context->state->outcome.evidence.hint;
	struct room room = next_pause_room(context);
	struct pause_context in_streak = *context;
	struct schedule first
	    = schedule_start(schedule->policy, schedule->random);
	struct pause pause = { .kind = PAUSE_DRAWN };

	/* Of two reasons against a pause, a hint says more. */
	if (hint->has_wait
	    && hint->wait_ns > context->settings->limits.hint_max_ns)
		return (struct pause) { .kind = PAUSE_ASKED_BEYOND };
	if (hint->has_wait && hint->wait_ns > max_ns(room.ns, 0))
		return (struct pause) { .kind = PAUSE_ASKED_TOO_LATE };
	if (room.ns < room.least_ns)
		return (struct pause) { .kind = PAUSE_NO_TIME };
	/* In a streak it is a first one, and leaves the schedule as it is. */
	in_streak.failures = 1;
	pause.ns = context->state->streak > 0 ? draw(&in_streak, &first, room)
	                                      : draw(context, schedule, room);
	/*
	 * The wait that the other side asked for is a lower bound. Up to the
	 * base is added, so that clients that were told the same second do not
	 * all come back in that second.
	 */
	if (hint->has_wait)
		pause.ns = max_ns(pause.ns,
		    random_between(schedule->random, hint->wait_ns,
		        min_ns(saturating_add(
		                   hint->wait_ns, schedule->policy->base_ns),
		            room.ns)));
	return pause;
}
