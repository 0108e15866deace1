/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/next_pause.h"
#include "core/loop.h"
#include "core/result.h"

struct run {
	const struct settings *settings;
	const struct world *world;
	struct schedule schedule;
	struct loop_state state;
	struct ending ending; /* result RESULT_NONE while the loop goes on */
	int64_t started_ns;
	int64_t deadline_ns; /* the moment, not the duration */
	int64_t until_in_ns; /* from the start to --until; INT64_MAX: none */
	int64_t failures; /* since the last reset: n of the windows */
	int64_t longest_ns; /* the longest attempt so far */
	int told; /* what told backoff to end, or 0 */
};

static int64_t
before_deadline(const struct run *run, int64_t now_ns)
{
	return run->deadline_ns == INT64_MAX ? INT64_MAX
	                                     : run->deadline_ns - now_ns;
}

/* Asked anew each time, because the time of day may be set meanwhile. */
static int64_t
before_until(const struct run *run)
{
	const struct world *world = run->world;
	int64_t until_ns = run->settings->limits.until_ns;

	return until_ns == INT64_MAX ? INT64_MAX
	                             : until_ns - world->epoch_ns(world->self);
}

/* Until the deadline or --until, whichever comes first. */
static int64_t
time_left(const struct run *run, int64_t now_ns)
{
	return min_ns(before_deadline(run, now_ns), before_until(run));
}

static void
end(struct run *run, enum result result, int status)
{
	run->ending.result = result;
	run->ending.status = status;
}

/* Ends with the status or signal of the last attempt, but never with 0. */
static void
give_up(struct run *run, enum result result)
{
	const struct outcome *outcome = &run->state.outcome;
	int status = outcome_status(outcome);

	if (outcome->kind == OUTCOME_KILLED)
		run->ending.signal = outcome->signal;
	end(run, result, status == 0 ? 1 : status);
}

/* Told to end while no attempt was running: backoff dies by that signal. */
static void
interrupt(struct run *run, int told)
{
	run->told = told;
	run->ending.interrupted_by = told;
	run->ending.signal = told_signal(told);
	end(run, RESULT_INTERRUPTED, STATUS_SIGNAL + run->ending.signal);
}

/* backoff itself failed: it could not pass on COMMAND's input or output. */
static void
fail(struct run *run, const char *broken, int error, int signal)
{
	run->ending.broken = broken;
	run->ending.error = error;
	run->ending.signal = signal;
	end(run, RESULT_ERROR,
	    signal != 0 ? STATUS_SIGNAL + signal : STATUS_ERROR);
}

/*
 * Whether the next attempt may begin now. (A gate that coordinates several
 * runs belongs here and in after_verdict().)
 */
static bool
before_attempt(struct run *run, int64_t now_ns)
{
	if (time_left(run, now_ns) > 0)
		return true;
	if (run->state.verdict == VERDICT_NONE)
		end(run, RESULT_DEADLINE, STATUS_TIMED_OUT);
	else
		give_up(run, RESULT_DEADLINE);
	return false;
}

static bool
is_failure(enum verdict verdict)
{
	return verdict == VERDICT_RETRY || verdict == VERDICT_THROTTLE;
}

/* --reset-after: an attempt that ran for long is number 1 of a new count. */
static void
reset_after_long_run(struct run *run)
{
	const struct outcome *outcome = &run->state.outcome;
	int64_t ran_ns = outcome->ended_ns - outcome->started_ns;

	if (!is_failure(run->state.verdict)
	    || ran_ns < run->settings->limits.reset_after_ns
	    || outcome->kind == OUTCOME_TIMED_OUT
	    || outcome->kind == OUTCOME_NOT_STARTED)
		return;
	run->state.count = 1;
	run->failures = 0;
	schedule_reset(&run->schedule);
}

/*
 * Decides what the verdict means for the loop. Leaves the result at
 * RESULT_NONE if another attempt is to follow.
 */
static void
after_verdict(struct run *run)
{
	const struct outcome *outcome = &run->state.outcome;
	const struct stream_failure *failure = &outcome->evidence.failure;
	enum verdict verdict = run->state.verdict;
	enum result result;

	reset_after_long_run(run);
	run->state.streak
	    = verdict == VERDICT_SUCCESS ? run->state.streak + 1 : 0;
	if (is_failure(verdict))
		run->failures++;
	result = result_after_attempt(&run->settings->limits, &run->state);
	switch (result) {
	case RESULT_NONE:
		break;
	case RESULT_ERROR:
		fail(run, failure->stream, failure->error, failure->signal);
		break;
	case RESULT_SUCCESS:
		end(run, result, 0);
		break;
	case RESULT_PASS:
		end(run, result, outcome_status(outcome));
		if (outcome->kind == OUTCOME_KILLED)
			run->ending.signal = outcome->signal;
		break;
	case RESULT_INTERRUPTED:
		/* As in a pause: backoff dies by the signal itself. */
		if (outcome->late_end_signal != 0
		    || (failure->cut_off && verdict_is_good(verdict))) {
			interrupt(run, run->told);
			break;
		}
		run->ending.interrupted_by
		    = run->told != 0 ? run->told : outcome->signal;
		give_up(run, result);
		break;
	case RESULT_STOPPED:
		run->ending.input_lost = verdict != VERDICT_STOP;
		give_up(run, result);
		break;
	case RESULT_EXHAUSTED:
	case RESULT_DEADLINE:
		give_up(run, result);
		break;
	}
}

static struct pause_context
pause_context(const struct run *run, int64_t now_ns)
{
	return (struct pause_context) {
		.settings = run->settings,
		.state = &run->state,
		.failures = run->failures,
		.deadline = { run->settings->limits.deadline_ns,
		    before_deadline(run, now_ns) },
		.until = { run->until_in_ns, before_until(run) },
		.longest_ns = run->longest_ns,
	};
}

/* The pause, counted from the end of the attempt; -1: backoff gives up. */
static int64_t
choose_pause(struct run *run)
{
	struct pause_context context
	    = pause_context(run, run->state.outcome.ended_ns);
	struct pause pause = next_pause(&context, &run->schedule);

	if (pause.kind == PAUSE_DRAWN)
		return pause.ns;
	run->ending.asked_too_long = pause.kind != PAUSE_NO_TIME;
	run->ending.no_time = pause.kind != PAUSE_ASKED_BEYOND;
	give_up(run, run->ending.no_time ? RESULT_DEADLINE : RESULT_STOPPED);
	return -1;
}

/* Marks an attempt that --grace cut: it has not reached its time limit. */
static void
set_aside_grace(struct outcome *outcome, int64_t now_ns)
{
	if (outcome->unended.pid == 0 || outcome->kind != OUTCOME_TIMED_OUT
	    || outcome->ended_ns >= saturating_add(now_ns, outcome->limit_ns))
		return;
	outcome->past_deadline = false;
	outcome->limit_ns = 0;
}

static void
attempt(struct run *run, int64_t now_ns)
{
	const struct world *world = run->world;
	int64_t cutoff_ns
	    = saturating_add(now_ns, run->settings->limits.timeout_ns);
	bool deadline_first = run->deadline_ns < cutoff_ns;
	struct decision decision;
	int64_t ran_ns;

	run->state.attempt++;
	run->state.count++;
	run->state.elapsed_ns = now_ns - run->started_ns;
	run->state.outcome = world->attempt(world->self, &run->state,
	    deadline_first ? run->deadline_ns : cutoff_ns);
	run->state.outcome.past_deadline
	    = deadline_first && run->state.outcome.kind == OUTCOME_TIMED_OUT;
	run->state.outcome.limit_ns = deadline_first
	    ? run->deadline_ns - now_ns
	    : run->settings->limits.timeout_ns;
	set_aside_grace(&run->state.outcome, now_ns);
	run->told = outcome_told(&run->state.outcome);
	decision = verdict_of(&run->settings->rules, &run->state.outcome);
	run->state.verdict = decision.verdict;
	run->state.outcome.rule = decision.rule;
	ran_ns = run->state.outcome.ended_ns - run->state.outcome.started_ns;
	if (ran_ns > run->longest_ns)
		run->longest_ns = ran_ns;
}

static int64_t
now(const struct run *run)
{
	return run->world->now_ns(run->world->self);
}

/* Runs --before-retry, which is told the number of the next attempt. */
static void
ask_hook(struct run *run)
{
	const struct world *world = run->world;
	struct loop_state coming = run->state;
	struct outcome hook;

	coming.attempt++;
	coming.elapsed_ns = now(run) - run->started_ns;
	hook = world->hook(
	    world->self, HOOK_BEFORE_RETRY, &coming, run->deadline_ns);
	if (hook.end_signal != 0 || hook.late_end_signal != 0) {
		interrupt(run,
		    hook.end_signal != 0 ? hook.end_signal
		                         : hook.late_end_signal);
	} else if (hook.kind == OUTCOME_TIMED_OUT) {
		run->ending.hook = hook;
		give_up(run, RESULT_DEADLINE);
	} else if (outcome_status(&hook) != 0) {
		run->ending.vetoed = true;
		run->ending.hook = hook;
		give_up(run, RESULT_STOPPED);
	}
}

/* All that happens from the end of an attempt to the start of the next. */
static void
between_attempts(struct run *run)
{
	const struct world *world = run->world;
	int64_t pause_ns = -1;
	int signal;

	after_verdict(run);
	if (run->ending.result == RESULT_NONE)
		pause_ns = choose_pause(run);
	world->tell_attempt(world->self, &run->state, pause_ns);
	if (run->ending.result != RESULT_NONE)
		return;
	signal = world->pause(
	    world->self, saturating_add(run->state.outcome.ended_ns, pause_ns));
	if (signal != 0)
		interrupt(run, signal);
	else
		ask_hook(run);
}

/* The random wait before the first attempt. */
static void
splay(struct run *run)
{
	const struct world *world = run->world;
	struct pause_context context = pause_context(run, run->started_ns);
	struct range range;
	int signal;

	/* Too late for any attempt: before_attempt() says so. */
	if (time_left(run, run->started_ns) <= 0)
		return;
	range = next_pause_splay(&context);
	signal = world->pause(world->self,
	    saturating_add(run->started_ns,
	        random_between(
	            run->schedule.random, range.low_ns, range.high_ns)));
	if (signal != 0)
		interrupt(run, signal);
}

/*
 * Releases held output. A success whose output cannot be written is none,
 * and neither is one whose reader stalls when backoff is told to end.
 */
static void
release(struct run *run)
{
	const struct world *world = run->world;
	enum result result = run->ending.result;
	struct release release = world->release(world->self, result, run->told);

	if (release.cut_by != 0 && result != RESULT_INTERRUPTED)
		interrupt(run, release.cut_by);
	else if (release.error != 0
	    && (result == RESULT_SUCCESS || result == RESULT_PASS))
		fail(run, "output", release.error, release.signal);
}

/* Reports the result and runs --at-end; a signal in it decides the end. */
static void
finish(struct run *run)
{
	const struct world *world = run->world;
	int64_t cutoff_ns = run->deadline_ns;
	int64_t now_ns;
	struct outcome hook;

	release(run);
	now_ns = now(run);
	run->state.elapsed_ns = now_ns - run->started_ns;
	run->state.result = run->ending.result;
	world->tell_end(world->self, &run->state, &run->ending);
	if (run->ending.result == RESULT_INTERRUPTED
	    || run->ending.result == RESULT_ERROR)
		return;
	/* --at-end must also run, and have time, after the deadline. */
	if (cutoff_ns <= now_ns)
		cutoff_ns = saturating_add(
		    now_ns, run->settings->limits.kill_after_ns);
	hook = world->hook(world->self, HOOK_AT_END, &run->state, cutoff_ns);
	if (hook.end_signal != 0 || hook.late_end_signal != 0)
		interrupt(run,
		    hook.end_signal != 0 ? hook.end_signal
		                         : hook.late_end_signal);
}

struct ending
run_loop(const struct settings *settings, struct random *random,
    const struct world *world)
{
	struct run run = {
		.settings = settings,
		.world = world,
		.schedule = schedule_start(&settings->policy, random),
		.started_ns = world->now_ns(world->self),
	};
	int64_t now_ns = run.started_ns;

	run.deadline_ns
	    = saturating_add(run.started_ns, settings->limits.deadline_ns);
	run.until_in_ns = before_until(&run);
	world->tell_start(world->self);
	splay(&run);
	while (run.ending.result == RESULT_NONE
	    && before_attempt(&run, now_ns = now(&run))) {
		attempt(&run, now_ns);
		between_attempts(&run);
	}
	finish(&run);
	return run.ending;
}
