/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/loop/loop.h"

const char *
result_name(enum result result)
{
	static const char names[][12] = { "", "success", "pass", "exhausted",
		"stopped", "deadline", "interrupted", "error", "deferred" };

	return names[result];
}

/*
 * STATE already includes the attempt in its streak and count. The order of the
 * rules is part of the contract: the first that applies decides.
 */
static enum result
result_after_attempt(
    const struct limits *limits, const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;
	const struct stream_failure *failure = &outcome->evidence.failure;
	enum verdict verdict = state->verdict;

	/* 1. backoff could not pass on input or output: not even a success. */
	if (failure->stream != NULL
	    && (failure->is_final || verdict_is_good(verdict)))
		return RESULT_ERROR;
	/* 2. Told to end before the output of a success was passed on. */
	if (failure->cut_off && outcome->end_signal != 0
	    && verdict_is_good(verdict))
		return RESULT_INTERRUPTED;
	/* 3, 4. Success and pass count, whatever signal came meanwhile. */
	if (state->streak == limits->consecutive)
		return RESULT_SUCCESS;
	if (verdict == VERDICT_PASS)
		return RESULT_PASS;
	/* 5. Told to end, or COMMAND killed by a signal that was passed on. */
	if (outcome->end_signal != 0 || outcome->by_forwarded)
		return RESULT_INTERRUPTED;
	/* 6. The deadline cut the attempt. */
	if (outcome->past_deadline)
		return RESULT_DEADLINE;
	/* 7. Retrying cannot help. */
	if (verdict == VERDICT_STOP)
		return RESULT_STOPPED;
	/* 8. That was the last attempt. */
	if (state->count >= limits->attempts)
		return RESULT_EXHAUSTED;
	/* 9. The input is lost, so another attempt could not read it. */
	if (outcome->evidence.input.lost)
		return RESULT_STOPPED;
	return RESULT_NONE;
}

struct run {
	const struct settings *settings;
	const struct world *world;
	struct pause_context context; /* with the limits as last looked at */
	struct schedule schedule;
	struct loop_state state;
	struct gate_effect effect; /* of the last attempt */
	struct ending ending; /* result RESULT_NONE while the loop goes on */
	int64_t started_ns;
	int64_t deadline_ns; /* the moment, not the duration */
};

/*
 * Looks at what the limits leave at NOW_NS: of --until anew each time, because
 * the clock may be set meanwhile.
 */
static struct pause_context *
context_at(struct run *run, int64_t now_ns)
{
	const struct limits *limits = &run->settings->limits;
	struct pause_context *context = &run->context;

	context->elapsed_ns = now_ns - run->started_ns;
	context->until_in_ns = limits->until_ns == INT64_MAX
	    ? INT64_MAX
	    : saturating_add(
	        limits->until_ns - run->world->epoch_ns(), context->elapsed_ns);
	return context;
}

/* Whether the deadline or --until has passed. */
static bool
is_late(struct run *run, int64_t now_ns)
{
	const struct pause_context *context = context_at(run, now_ns);
	int64_t limit_ns
	    = min_ns(run->settings->limits.deadline_ns, context->until_in_ns);

	return limit_ns < INT64_MAX && context->elapsed_ns >= limit_ns;
}

/* --- how it ends --- */

/* To die by SIGNAL, or to exit with STATUS where that is 0. */
static void
end_with(struct run *run, enum result result, int signal, int status)
{
	run->ending.result = result;
	run->ending.signal = signal;
	run->ending.status = signal != 0 ? STATUS_SIGNAL + signal : status;
}

/* With the status or signal of the last attempt; only a pass may be 0. */
static void
end_as_command(struct run *run, enum result result)
{
	const struct outcome *outcome = &run->state.outcome;
	int status = outcome_status(outcome);

	end_with(run, result,
	    outcome->kind == OUTCOME_KILLED ? outcome->signal : 0,
	    status == 0 && result != RESULT_PASS ? 1 : status);
}

/*
 * Unless END_SIGNAL is 0, it told backoff to end while no attempt was running,
 * and backoff dies by it. Returns whether that is so.
 */
static bool
interrupt(struct run *run, int end_signal)
{
	if (end_signal == 0)
		return false;
	run->ending.end_signal = end_signal;
	end_with(run, RESULT_INTERRUPTED, end_signal, 0);
	return true;
}

/* backoff itself failed: it could not pass on COMMAND's input or output. */
static void
fail(struct run *run, const struct stream_failure *failure)
{
	run->ending.failure = *failure;
	end_with(run, RESULT_ERROR, failure->signal, STATUS_ERROR);
}

/* A gate, slots or --defer put this run off. */
static void
end_refused(struct run *run, const struct entry *entry)
{
	run->ending.entry = *entry;
	if (run->state.verdict == VERDICT_NONE)
		end_with(run, RESULT_DEFERRED, 0, STATUS_DEFERRED);
	else
		end_as_command(run, RESULT_DEADLINE);
}

/* Notes which limit leaves no time for another attempt. */
static void
note_no_time(struct run *run)
{
	run->ending.no_time = true;
	run->ending.until_is_near = next_pause_room(&run->context).is_by_until;
}

/* A limit has passed; if WAIT is not NULL, that wait used up the time. */
static void
end_late(struct run *run, const struct entry *wait)
{
	if (wait != NULL)
		run->ending.entry = *wait;
	run->ending.until_is_near
	    = context_at(run, run->world->now_ns())->until_in_ns
	    < run->settings->limits.deadline_ns;
	if (run->state.verdict == VERDICT_NONE) {
		end_with(run, RESULT_DEADLINE, 0, STATUS_TIMED_OUT);
		return;
	}
	if (wait != NULL)
		note_no_time(run);
	end_as_command(run, RESULT_DEADLINE);
}

/* Ends the loop with RESULT after an attempt. RESULT_NONE changes nothing. */
static void
end_after_attempt(struct run *run, enum result result)
{
	const struct loop_state *state = &run->state;
	const struct outcome *outcome = &state->outcome;
	const struct stream_failure *failure = &outcome->evidence.failure;
	bool is_cut = failure->cut_off && verdict_is_good(state->verdict);

	if (result == RESULT_NONE)
		return;
	/* As in a pause: backoff dies by the signal itself. */
	if (result == RESULT_INTERRUPTED && (outcome->came_late || is_cut)
	    && interrupt(run, outcome->end_signal))
		return;
	if (result == RESULT_ERROR) {
		fail(run, failure);
	} else if (result == RESULT_SUCCESS) {
		/* Flaky: an attempt failed before. */
		end_with(run, result, 0,
		    state->attempt > state->streak
		        ? (int)run->settings->limits.flaky_status
		        : 0);
	} else {
		run->ending.input_lost = result == RESULT_STOPPED
		    && state->verdict != VERDICT_STOP;
		end_as_command(run, result);
	}
}

/* --- from attempt to attempt --- */

/* The state, with the number of the next attempt. */
static struct loop_state
coming_state(const struct run *run, int64_t now_ns)
{
	struct loop_state coming = run->state;

	coming.attempt++;
	coming.elapsed_ns = now_ns - run->started_ns;
	return coming;
}

/* Whether the next attempt may begin; *NOW_NS is when, after any wait. */
static bool
before_attempt(struct run *run, int64_t *now_ns)
{
	const struct world *world = run->world;
	struct loop_state coming;
	struct entry entry;
	int64_t room_ns;

	*now_ns = world->now_ns();
	if (is_late(run, *now_ns)) {
		end_late(run, NULL);
		return false;
	}
	if (world->before_attempt == NULL)
		return true;
	coming = coming_state(run, *now_ns);
	/* After that there is only time for the attempt itself. */
	room_ns = max_ns(next_pause_room(&run->context).ns, 0);
	entry
	    = world->before_attempt(&coming, saturating_add(*now_ns, room_ns));
	if (entry.admission == ADMISSION_SIGNAL)
		interrupt(run, entry.signal);
	else if (entry.admission == ADMISSION_LATE)
		end_late(run, &entry);
	else if (entry.admission == ADMISSION_REFUSED)
		end_refused(run, &entry);
	else
		*now_ns = world->now_ns();
	return entry.admission == ADMISSION_GO;
}

/* --reset-after: an attempt that ran for long is number 1 of a new count. */
static bool
ran_long(const struct loop_state *state, int64_t reset_after_ns)
{
	const struct outcome *outcome = &state->outcome;

	return verdict_is_failure(state->verdict)
	    && outcome->ended_ns - outcome->started_ns >= reset_after_ns
	    && outcome->kind != OUTCOME_TIMED_OUT
	    && outcome->kind != OUTCOME_NOT_STARTED;
}

enum result
loop_count_attempt(const struct limits *limits,
    const struct gate_effect *effect, struct loop_state *state,
    struct schedule *schedule, int64_t *failures)
{
	state->probe = effect->probe;
	state->probe.is_counted
	    = limits->attempts_given || state->probe.number == 0;
	state->count -= !state->probe.is_counted;
	if (ran_long(state, limits->reset_after_ns)) {
		state->count = state->probe.is_counted;
		state->is_reset = true;
		*failures = 0;
		*schedule = schedule_start(schedule->policy, schedule->random);
	}
	state->streak
	    = state->verdict == VERDICT_SUCCESS ? state->streak + 1 : 0;
	if (verdict_is_failure(state->verdict)
	    && (!effect->keeps_windows || *failures == 0))
		++*failures;
	return result_after_attempt(limits, state);
}

/* The pause from the end of the attempt; PAUSE_NONE: backoff gives up. */
static int64_t
choose_pause(struct run *run)
{
	struct pause pause = next_pause(
	    context_at(run, run->state.outcome.ended_ns), &run->schedule);

	if (pause.kind == PAUSE_DRAWN)
		return run->effect.waits_at_gate ? PAUSE_AT_GATE : pause.ns;
	run->ending.asked_too_long = pause.kind != PAUSE_NO_TIME;
	if (pause.kind != PAUSE_ASKED_BEYOND)
		note_no_time(run);
	end_as_command(
	    run, run->ending.no_time ? RESULT_DEADLINE : RESULT_STOPPED);
	return PAUSE_NONE;
}

static void
attempt(struct run *run, int64_t now_ns)
{
	const struct limits *limits = &run->settings->limits;
	struct outcome *outcome = &run->state.outcome;
	struct hint *hint = &outcome->evidence.hint;
	int64_t timeout_ns = saturating_add(now_ns, limits->timeout_ns);
	int64_t cutoff_ns = min_ns(timeout_ns, run->deadline_ns);
	struct decision decision;

	run->state.attempt++;
	run->state.count++;
	run->state.elapsed_ns = now_ns - run->started_ns;
	*outcome = run->world->attempt(&run->state, cutoff_ns);
	/* An attempt that --grace could not end has reached no limit. */
	if (outcome->kind == OUTCOME_TIMED_OUT && outcome->was_silent) {
		outcome->limit_ns = limits->idle_timeout_ns;
	} else if (outcome->kind == OUTCOME_TIMED_OUT
	    && (outcome->left.unended.pid == 0
	        || outcome->ended_ns >= cutoff_ns)) {
		outcome->limit_ns = cutoff_ns - now_ns;
		outcome->past_deadline = run->deadline_ns < timeout_ns;
	}
	decision = verdict_of(&run->settings->rules, outcome);
	run->state.verdict = decision.verdict;
	outcome->rule = decision.rule;
	/* Only a failure states a wait: after a success it does not count. */
	if (verdict_is_good(decision.verdict)) {
		hint->stated = STATED_UNWANTED;
		hint->has_wait &= !hint->by_output;
		hint->unread = NULL;
	}
	if (outcome->ended_ns - outcome->started_ns <= run->context.longest_ns)
		return;
	run->context.longest_ns = outcome->ended_ns - outcome->started_ns;
	run->context.longest_was_cut = outcome->kind == OUTCOME_TIMED_OUT;
}

/* Runs --before-retry, which gets the number of the next attempt. */
static void
ask_hook(struct run *run)
{
	struct loop_state coming = coming_state(run, run->world->now_ns());
	struct outcome hook
	    = run->world->hook(HOOK_BEFORE_RETRY, &coming, run->deadline_ns);
	bool is_cut = hook.kind == OUTCOME_TIMED_OUT;

	if (interrupt(run, hook.end_signal) || outcome_status(&hook) == 0)
		return;
	run->ending.vetoed = !is_cut;
	run->ending.hook = hook;
	end_as_command(run, is_cut ? RESULT_DEADLINE : RESULT_STOPPED);
}

/* All that happens from the end of an attempt to the start of the next. */
static void
between_attempts(struct run *run)
{
	const struct world *world = run->world;
	int64_t pause_ns = PAUSE_NONE;

	run->effect = (struct gate_effect) { .waits_at_gate = false };
	if (world->after_verdict != NULL)
		run->effect = world->after_verdict(&run->state);
	outcome_end_late(&run->state.outcome, run->effect.signal);
	run->ending.end_signal = run->state.outcome.end_signal;
	end_after_attempt(run,
	    loop_count_attempt(&run->settings->limits, &run->effect,
	        &run->state, &run->schedule, &run->context.failures));
	if (run->ending.result == RESULT_NONE)
		pause_ns = choose_pause(run);
	world->tell_attempt(&run->state, pause_ns);
	if (run->ending.result != RESULT_NONE)
		return;
	if (!interrupt(run,
	        world->pause(saturating_add(
	            run->state.outcome.ended_ns, max_ns(pause_ns, 0)))))
		ask_hook(run);
}

/* The random wait before the first attempt. */
static void
splay(struct run *run)
{
	const struct world *world = run->world;
	struct entry entry = { .admission = ADMISSION_GO };
	struct range range;

	/* Too late for any attempt: before_attempt() says so. */
	if (is_late(run, run->started_ns))
		return;
	if (world->before_splay != NULL)
		entry = world->before_splay();
	if (entry.admission == ADMISSION_REFUSED) {
		end_refused(run, &entry);
		return;
	}
	range = next_pause_splay(&run->context);
	interrupt(run,
	    world->pause(saturating_add(run->started_ns,
	        random_between(
	            run->schedule.random, range.low_ns, range.high_ns))));
}

/* A success fails if its held output cannot be written, or not in time. */
static void
release(struct run *run)
{
	enum result result = run->ending.result;
	struct stream_failure failure = { .stream = NULL };
	int end_signal
	    = run->world->release(result, run->ending.end_signal, &failure);

	if (result != RESULT_INTERRUPTED && interrupt(run, end_signal))
		return;
	if (failure.stream != NULL
	    && (result == RESULT_SUCCESS || result == RESULT_PASS))
		fail(run, &failure);
}

static void
finish(struct run *run)
{
	const struct world *world = run->world;
	int64_t now_ns, cutoff_ns = run->deadline_ns;

	release(run);
	now_ns = run->world->now_ns();
	/* --at-end runs even after the deadline. */
	if (cutoff_ns <= now_ns)
		cutoff_ns = saturating_add(
		    now_ns, run->settings->limits.kill_after_ns);
	run->state.elapsed_ns = now_ns - run->started_ns;
	run->state.result = run->ending.result;
	world->tell_end(&run->state, &run->ending, false);
	if (run->ending.result != RESULT_INTERRUPTED
	    && run->ending.result != RESULT_ERROR)
		interrupt(run,
		    world->hook(HOOK_AT_END, &run->state, cutoff_ns)
		        .end_signal);
	world->tell_end(&run->state, &run->ending, true);
}

struct ending
run_loop(const struct settings *settings, struct random *random,
    const struct world *world)
{
	struct run run = {
		.settings = settings,
		.world = world,
		.context = { .settings = settings, .state = &run.state },
		.schedule = schedule_start(&settings->policy, random),
		.started_ns = world->now_ns(),
	};
	int64_t now_ns;

	run.deadline_ns
	    = saturating_add(run.started_ns, settings->limits.deadline_ns);
	world->tell_start();
	splay(&run);
	while (
	    run.ending.result == RESULT_NONE && before_attempt(&run, &now_ns)) {
		attempt(&run, now_ns);
		between_attempts(&run);
	}
	finish(&run);
	return run.ending;
}
