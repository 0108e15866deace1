/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STAGE_H
#define BACKOFF_STAGE_H
/*
 * A world for the loop in which attempts take no time, and fail until a
 * service is up. What the loop does there is noted.
 */

#include "core/loop.h"

#define STAGE_ATTEMPTS 64 /* that are noted */

struct stage {
	int64_t now_ns;
	int64_t down_ns; /* until then all fail */
	int64_t takes_ns; /* an attempt, says its outcome; no time passes */
	int64_t attempts;
	int64_t at_ns[STAGE_ATTEMPTS]; /* of each */
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

static struct outcome
stage_attempt(void *self, const struct loop_state *state, int64_t cutoff_ns)
{
	struct stage *stage = self;

	(void)state, (void)cutoff_ns;
	if (stage->attempts < STAGE_ATTEMPTS)
		stage->at_ns[stage->attempts] = stage->now_ns;
	stage->attempts++;
	return (struct outcome) {
		.kind = OUTCOME_EXITED,
		.status = stage->now_ns < stage->down_ns,
		.started_ns = stage->now_ns - stage->takes_ns,
		.ended_ns = stage->now_ns,
	};
}

static struct outcome
stage_hook(void *self, enum hook which, const struct loop_state *state,
    int64_t cutoff_ns)
{
	(void)self, (void)which, (void)state, (void)cutoff_ns;
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
	(void)self, (void)state, (void)pause_ns;
}

static void
stage_tell_end(
    void *self, const struct loop_state *state, const struct ending *ending)
{
	(void)self, (void)state, (void)ending;
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
