/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/next_pause.h"

/* What is left for a pause, so that the longest attempt fits behind it. */
static int64_t
room(const struct pause_context *context)
{
	if (context->left_ns == INT64_MAX)
		return INT64_MAX;
	return context->left_ns - context->longest_ns;
}

/*
 * By the schedule. A window that would reach past the deadline shrinks to
 * what is left less the longest attempt so far, and the attempt after it is
 * the last.
 */
static struct pause
draw(const struct pause_context *context, struct schedule *schedule)
{
	const struct settings *settings = context->settings;
	const struct outcome *outcome = &context->state->outcome;
	bool throttled = context->state->verdict == VERDICT_THROTTLE;
	struct pause pause = { .kind = PAUSE_DRAWN };
	int64_t n = context->failures;
	int64_t limit_ns = INT64_MAX;
	struct schedule first = *schedule;
	/* With --from=start that much of the pause is over. */
	int64_t ran_ns = settings->limits.from_start
	    ? outcome->ended_ns - outcome->started_ns
	    : 0;
	int64_t latest_ns;

	/* In a streak the pause is the first window. */
	if (context->state->streak > 0) {
		schedule_reset(&first);
		schedule = &first;
		n = 1;
	}
	latest_ns
	    = schedule_range(schedule, n, throttled, limit_ns).high_ns - ran_ns;
	if (ran_ns > 0)
		latest_ns = max_ns(latest_ns, settings->policy.floor_ns);
	if (latest_ns > context->left_ns) {
		if (room(context) <= 0)
			return (struct pause) { .kind = PAUSE_TOO_LATE };
		limit_ns = saturating_add(room(context), ran_ns);
		pause.last = true;
	}
	pause.ns = schedule_draw(schedule, n, throttled, limit_ns) - ran_ns;
	if (ran_ns > 0)
		pause.ns = max_ns(pause.ns, settings->policy.floor_ns);
	if (pause.last)
		pause.ns = min_ns(pause.ns, room(context));
	return pause;
}

/*
 * What the other side asked for is a lower bound, and up to the base more,
 * so that those who were told the same second do not come back in it.
 */
static struct pause
obey(const struct pause_context *context, struct schedule *schedule,
    struct pause pause)
{
	const struct settings *settings = context->settings;
	int64_t asked_ns = context->state->outcome.evidence.hint.wait_ns;
	int64_t latest_ns = saturating_add(asked_ns, settings->policy.base_ns);

	if (asked_ns > settings->limits.hint_max_ns)
		return (struct pause) { .kind = PAUSE_ASKED_BEYOND };
	if (context->left_ns < INT64_MAX && asked_ns >= room(context))
		return (struct pause) { .kind = PAUSE_ASKED_TOO_LATE };
	if (latest_ns > room(context)) {
		latest_ns = room(context);
		pause.last = true;
	}
	asked_ns = random_between(schedule->random, asked_ns, latest_ns);
	if (asked_ns > pause.ns)
		pause.ns = asked_ns;
	return pause;
}

struct range
next_pause_splay(const struct limits *limits, int64_t left_ns)
{
	return (struct range) { min_ns(limits->splay.low_ns, left_ns),
		min_ns(limits->splay.high_ns, left_ns) };
}

struct pause
next_pause(const struct pause_context *context, struct schedule *schedule)
{
	struct pause pause = draw(context, schedule);

	if (!context->state->outcome.evidence.hint.has_wait
	    || (pause.kind == PAUSE_TOO_LATE && room(context) <= 0))
		return pause;
	return obey(context, schedule, pause);
}
