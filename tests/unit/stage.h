/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STAGE_H
#define BACKOFF_STAGE_H
/*
 * A world for the loop in which attempts fail until a service is up, and take
 * no time unless asked to. It records what the loop does.
 */

#include <stdlib.h>

#include "core/base/duration.h"
#include "core/loop/loop.h"
#include "unit/tap.h"

#define STAGE_ATTEMPTS 64 /* how many are recorded */
#define STAGE_MOST 1000000 /* more are a loop without end */

struct stage {
	int64_t now_ns;
	int64_t down_ns; /* until then all attempts fail */
	int64_t takes_ns; /* an outcome's duration; the clock does not move */
	struct range lasts; /* how long an attempt moves the clock, drawn */
	struct random lasts_random; /* from this generator */
	int64_t first_ns; /* if above 0: the same for the first attempt */
	int64_t silent_ns; /* if above 0: cut for silence after so long */
	int64_t hook_ns; /* how long --before-retry takes */
	struct hint hint; /* comes with each failure */
	enum verdict asks; /* COMMAND's own verdict on its failures */
	int64_t successes; /* so many first attempts succeed nevertheless */

	int64_t attempts;
	int64_t at_ns[STAGE_ATTEMPTS]; /* the start of each */
	int64_t pauses_ns[STAGE_ATTEMPTS]; /* after it, or -1 */
	int64_t longest_ns;
	int64_t cut; /* how many attempts ended at the cutoff, */
	int64_t cut_short; /* and how many at most twice as long as before */
	struct ending ending;
};

static int64_t
stage_now_ns(void *self)
{
	return ((struct stage *)self)->now_ns;
}

static int
stage_pause(void *self, int64_t until_ns)
{
	struct stage *stage = self;

	if (until_ns > stage->now_ns)
		stage->now_ns = until_ns;
	return 0;
}

static int64_t
stage_lasts(struct stage *stage)
{
	if (stage->attempts == 0 && stage->first_ns > 0)
		return stage->first_ns;
	return stage->lasts.high_ns == 0
	    ? 0
	    : random_between(&stage->lasts_random, stage->lasts.low_ns,
	        stage->lasts.high_ns);
}

static struct outcome
stage_attempt(void *self, const struct loop_state *state, int64_t cutoff_ns)
{
	struct stage *stage = self;
	struct outcome outcome = {
		.kind = OUTCOME_EXITED,
		.status = stage->now_ns < stage->down_ns
		    && stage->attempts >= stage->successes,
		.started_ns = stage->now_ns - stage->takes_ns,
	};
	int64_t lasts_ns = stage_lasts(stage);

	(void)state;
	if (stage->attempts < STAGE_ATTEMPTS)
		stage->at_ns[stage->attempts] = stage->now_ns;
	if (stage->attempts++ == STAGE_MOST) {
		ok(false, "the loop ends");
		exit(1);
	}
	if (outcome.status != 0) {
		outcome.evidence.hint = stage->hint;
		outcome.evidence.hint.verdict = stage->asks;
	}
	if (lasts_ns > cutoff_ns - stage->now_ns) {
		stage->cut++;
		stage->cut_short += lasts_ns <= 2 * stage->longest_ns;
		lasts_ns = cutoff_ns - stage->now_ns;
		outcome.kind = OUTCOME_TIMED_OUT;
	}
	if (stage->silent_ns > 0 && lasts_ns > stage->silent_ns) {
		lasts_ns = stage->silent_ns;
		outcome.kind = OUTCOME_TIMED_OUT;
		outcome.was_silent = true;
	}
	stage->longest_ns = max_ns(stage->longest_ns, lasts_ns);
	outcome.ended_ns = stage->now_ns += lasts_ns;
	return outcome;
}

static struct outcome
stage_hook(void *self, enum hook which, const struct loop_state *state,
    int64_t cutoff_ns)
{
	struct stage *stage = self;

	(void)state, (void)cutoff_ns;
	if (which == HOOK_BEFORE_RETRY)
		stage->now_ns += stage->hook_ns;
	return (struct outcome) { .kind = OUTCOME_EXITED };
}

static struct release
stage_release(void *self, enum result result, int told)
{
	(void)self, (void)result, (void)told;
	return (struct release) { 0 };
}

static void
stage_tell_start(void *self)
{
	(void)self;
}

static void
stage_tell_attempt(void *self, const struct loop_state *state, int64_t pause_ns)
{
	struct stage *stage = self;

	(void)state;
	if (stage->attempts <= STAGE_ATTEMPTS)
		stage->pauses_ns[stage->attempts - 1] = pause_ns;
}

static void
stage_tell_end(void *self, const struct loop_state *state,
    const struct ending *ending, bool is_over)
{
	(void)state, (void)is_over;
	((struct stage *)self)->ending = *ending;
}

/* Runs the loop on STAGE, of which down_ns is set. */
static struct ending
stage_run(
    struct stage *stage, const struct settings *settings, struct random *random)
{
	const struct world world = {
		.self = stage,
		.now_ns = stage_now_ns,
		.epoch_ns = stage_now_ns,
		.pause = stage_pause,
		.attempt = stage_attempt,
		.hook = stage_hook,
		.release = stage_release,
		.tell_start = stage_tell_start,
		.tell_attempt = stage_tell_attempt,
		.tell_end = stage_tell_end,
	};

	return run_loop(settings, random, &world);
}

#endif
