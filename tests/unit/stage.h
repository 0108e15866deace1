/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STAGE_H
#define BACKOFF_STAGE_H
/*
 * A world for the loop, in which the clock moves only as attempts, hooks and
 * pauses do. Attempts follow a script; or they fail until a service is up, and
 * take no time unless asked to. It records what the loop does.
 */

#include <signal.h>
#include <stdlib.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "unit/tap.h"

#define STAGE_ATTEMPTS 64 /* how many are recorded */
#define STAGE_MOST 1000000 /* more are a loop without end */
#define STAGE_EPOCH_NS (INT64_C(1795261200) * NS_PER_S) /* at 0 */

struct act {
	struct outcome outcome;
	int64_t takes_ns;
};

struct stage {
	int64_t now_ns;
	const struct act *acts; /* NULL, or the script; the last one repeats */
	int acts_count;
	int64_t down_ns; /* until then all attempts fail */
	int64_t takes_ns; /* an outcome's duration; the clock does not move */
	int64_t lasts_ns; /* how long an attempt moves the clock */
	int64_t first_ns; /* if above 0: the same for the first attempt */
	int64_t silent_ns; /* if above 0: cut for silence after so long */
	int pause_signal; /* arrives in a pause, the one of */
	int pause_number; /* this number, 0 being the splay */
	int64_t hook_ns; /* how long --before-retry takes, */
	struct outcome hook, at_end; /* and what the hooks come to */
	int stalled; /* releasing held output is ended by this signal, */
	struct stream_failure unwritten; /* or fails */
	struct hint hint; /* comes with each failure */
	enum verdict asks; /* COMMAND's own verdict on its failures */
	int64_t successes; /* so many first attempts succeed nevertheless */

	int64_t attempts;
	int64_t at_ns[STAGE_ATTEMPTS]; /* the start of each */
	int64_t pauses_ns[STAGE_ATTEMPTS]; /* after it, or -1 */
	int64_t counts[STAGE_ATTEMPTS];
	int64_t cut; /* how many attempts ended at the cutoff */
	int pauses, hooks, ends, releases, told_starts, told_ends;
	int64_t hook_attempt; /* the number that the last hook was told */
	int64_t at_end_cut_ns;
	enum result at_end_result, released_for;
	int release_signal;
	int ends_at_closing; /* how often --at-end had run by then */
	int64_t end_attempt; /* the number that the end has */
	struct ending ending;
};

static struct stage *on_stage;

static int64_t
stage_now_ns(void)
{
	return on_stage->now_ns;
}

static int64_t
stage_epoch_ns(void)
{
	return STAGE_EPOCH_NS + stage_now_ns();
}

static int
stage_pause(int64_t until_ns)
{
	if (on_stage->pauses++ == on_stage->pause_number
	    && on_stage->pause_signal)
		return on_stage->pause_signal;
	if (until_ns > on_stage->now_ns)
		on_stage->now_ns = until_ns;
	return 0;
}

/* An attempt at the service, and in *LASTS_NS how long it takes. */
static struct outcome
stage_request(int64_t *lasts_ns)
{
	struct outcome outcome = {
		.kind = OUTCOME_EXITED,
		.status = on_stage->now_ns < on_stage->down_ns
		    && on_stage->attempts >= on_stage->successes,
		.started_ns = on_stage->now_ns - on_stage->takes_ns,
	};

	*lasts_ns = on_stage->attempts == 0 && on_stage->first_ns > 0
	    ? on_stage->first_ns
	    : on_stage->lasts_ns;
	if (outcome.status != 0) {
		outcome.evidence.hint = on_stage->hint;
		outcome.evidence.hint.verdict = on_stage->asks;
	}
	return outcome;
}

static struct outcome
stage_act(int64_t *lasts_ns)
{
	const struct act *act = on_stage->attempts < on_stage->acts_count
	    ? &on_stage->acts[on_stage->attempts]
	    : &on_stage->acts[on_stage->acts_count - 1];
	struct outcome outcome = act->outcome;

	outcome.started_ns = on_stage->now_ns;
	*lasts_ns = act->takes_ns;
	return outcome;
}

static struct outcome
stage_attempt(const struct loop_state *state, int64_t cutoff_ns)
{
	int64_t lasts_ns;
	struct outcome outcome = on_stage->acts != NULL
	    ? stage_act(&lasts_ns)
	    : stage_request(&lasts_ns);

	(void)state;
	if (on_stage->attempts < STAGE_ATTEMPTS)
		on_stage->at_ns[on_stage->attempts] = on_stage->now_ns;
	if (on_stage->attempts++ == STAGE_MOST) {
		ok(false, "the loop ends");
		exit(1);
	}
	if (lasts_ns > cutoff_ns - on_stage->now_ns) {
		on_stage->cut++;
		lasts_ns = cutoff_ns - on_stage->now_ns;
		outcome.kind = OUTCOME_TIMED_OUT;
		outcome.signal = SIGTERM;
	}
	if (on_stage->silent_ns > 0 && lasts_ns > on_stage->silent_ns) {
		lasts_ns = on_stage->silent_ns;
		outcome.kind = OUTCOME_TIMED_OUT;
		outcome.was_silent = true;
	}
	outcome.ended_ns = on_stage->now_ns += lasts_ns;
	return outcome;
}

static struct outcome
stage_hook(enum hook which, const struct loop_state *state, int64_t cutoff_ns)
{
	struct outcome outcome = on_stage->hook;

	if (which == HOOK_AT_END) {
		on_stage->ends++;
		on_stage->at_end_cut_ns = cutoff_ns;
		on_stage->at_end_result = state->result;
		return on_stage->at_end;
	}
	on_stage->hooks++;
	on_stage->hook_attempt = state->attempt;
	on_stage->now_ns += on_stage->hook_ns;
	if (on_stage->now_ns > cutoff_ns) {
		on_stage->now_ns = cutoff_ns;
		outcome.kind = OUTCOME_TIMED_OUT;
	}
	return outcome;
}

static int
stage_release(
    enum result result, int end_signal, struct stream_failure *failure)
{
	on_stage->releases++;
	on_stage->released_for = result;
	on_stage->release_signal = end_signal;
	*failure = on_stage->unwritten;
	return on_stage->stalled;
}

static void
stage_tell_start(void)
{
	on_stage->told_starts++;
}

static void
stage_tell_attempt(const struct loop_state *state, int64_t pause_ns)
{
	if (on_stage->attempts > STAGE_ATTEMPTS)
		return;
	on_stage->pauses_ns[on_stage->attempts - 1] = pause_ns;
	on_stage->counts[on_stage->attempts - 1] = state->count;
}

static void
stage_tell_end(
    const struct loop_state *state, const struct ending *ending, bool is_over)
{
	if (!is_over) {
		on_stage->ends_at_closing = on_stage->ends;
		return;
	}
	on_stage->told_ends++;
	on_stage->end_attempt = state->attempt;
	on_stage->ending = *ending;
}

static struct world
stage_world(struct stage *stage)
{
	on_stage = stage;
	return (struct world) {
		.now_ns = stage_now_ns,
		.epoch_ns = stage_epoch_ns,
		.pause = stage_pause,
		.attempt = stage_attempt,
		.hook = stage_hook,
		.release = stage_release,
		.tell_start = stage_tell_start,
		.tell_attempt = stage_tell_attempt,
		.tell_end = stage_tell_end,
	};
}

/* Runs the loop on STAGE, of which down_ns or acts is set. */
static inline struct ending
stage_run(
    struct stage *stage, const struct settings *settings, struct random *random)
{
	const struct world world = stage_world(stage);

	return run_loop(settings, random, &world);
}

#endif
