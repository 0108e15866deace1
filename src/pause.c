/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "duration.h"
#include "pause.h"

/* What is left for a pause, so that the longest attempt fits behind it. */
static int64_t
room(const struct pacing *pacing)
{
	if (pacing->left_ns == INT64_MAX)
		return INT64_MAX;
	return pacing->left_ns - pacing->longest_ns;
}

/*
 * By the schedule. A window that would reach past the deadline shrinks to
 * what is left less the longest attempt so far, and the attempt after it is
 * the last.
 */
static struct pause
draw(const struct pacing *pacing, struct schedule *schedule)
{
	const struct settings *settings = pacing->settings;
	const struct outcome *outcome = &pacing->moment->outcome;
	bool throttled = pacing->moment->verdict == VERDICT_THROTTLE;
	struct pause pause = { .kind = PAUSE_DRAWN };
	int64_t n = pacing->failures;
	int64_t limit_ns = INT64_MAX;
	struct schedule first = *schedule;
	/* With --from=start that much of the pause is over. */
	int64_t ran_ns = settings->limits.from_start
	    ? outcome->ended_ns - outcome->started_ns
	    : 0;
	int64_t latest_ns;

	/* In a streak the pause is the first window. */
	if (pacing->moment->streak > 0) {
		schedule_reset(&first);
		schedule = &first;
		n = 1;
	}
	latest_ns
	    = schedule_range(schedule, n, throttled, limit_ns).high_ns - ran_ns;
	if (ran_ns > 0)
		latest_ns = max_ns(latest_ns, settings->policy.floor_ns);
	if (latest_ns > pacing->left_ns) {
		if (room(pacing) <= 0)
			return (struct pause) { .kind = PAUSE_TOO_LATE };
		limit_ns = saturating_add(room(pacing), ran_ns);
		pause.last = true;
	}
	pause.ns = schedule_draw(schedule, n, throttled, limit_ns) - ran_ns;
	if (ran_ns > 0)
		pause.ns = max_ns(pause.ns, settings->policy.floor_ns);
	if (pause.last)
		pause.ns = min_ns(pause.ns, room(pacing));
	return pause;
}

/*
 * What the other side asked for is a lower bound, and up to the base more,
 * so that those who were told the same second do not come back in it.
 */
static struct pause
obey(const struct pacing *pacing, struct schedule *schedule, struct pause pause)
{
	const struct settings *settings = pacing->settings;
	int64_t asked_ns = pacing->moment->outcome.evidence.asked_ns;
	int64_t latest_ns = saturating_add(asked_ns, settings->policy.base_ns);

	if (asked_ns > settings->limits.hint_max_ns)
		return (struct pause) { .kind = PAUSE_ASKED_BEYOND };
	if (pacing->left_ns < INT64_MAX && asked_ns >= room(pacing))
		return (struct pause) { .kind = PAUSE_ASKED_TOO_LATE };
	if (latest_ns > room(pacing)) {
		latest_ns = room(pacing);
		pause.last = true;
	}
	asked_ns = random_between(schedule->random, asked_ns, latest_ns);
	if (asked_ns > pause.ns)
		pause.ns = asked_ns;
	return pause;
}

struct range
pause_splay(const struct limits *limits, int64_t left_ns)
{
	return (struct range) { min_ns(limits->splay.low_ns, left_ns),
		min_ns(limits->splay.high_ns, left_ns) };
}

struct pause
pause_choose(const struct pacing *pacing, struct schedule *schedule)
{
	struct pause pause = draw(pacing, schedule);

	if (!pacing->moment->outcome.evidence.asked
	    || (pause.kind == PAUSE_TOO_LATE && room(pacing) <= 0))
		return pause;
	return obey(pacing, schedule, pause);
}
