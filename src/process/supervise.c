/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/child.h"
#include "process/helper.h"
#include "process/process_tree.h"
#include "process/sh_fallback.h"
#include "process/signals.h"
#include "process/spawn.h"
#include "process/supervise.h"
#include "system/system.h"

/* How long leftover processes may go on writing to COMMAND's output. */
#define PATIENCE_NS (100 * NS_PER_MS)
#define LOOK_NS (2 * NS_PER_MS) /* how often to look whether they are gone */

/* Whether --idle-timeout applies to the stage. */
static bool
minds_silence(const struct child *child)
{
	return child->limit->silence_ns < INT64_MAX && !child->limit_passed
	    && child->stage < STAGE_DRAINING && child->relay != NULL;
}

static void
look_at_silence(struct child *child)
{
	const struct relay *relay = child->relay;
	int64_t now_ns = clock_now_ns(), wrote_ns;

	if (relay == NULL || !minds_silence(child))
		return;
	wrote_ns = relay->wrote(now_ns);
	silence_look(
	    &child->silence, now_ns, wrote_ns, child_was_stopped(child));
}

/* A limit has been reached, unless COMMAND ended just before. */
static void
on_time(struct child *child)
{
	int64_t now_ns = clock_now_ns();

	if (child->stage >= STAGE_DRAINING
	    || (child->stage == STAGE_RUNNING && child_is_dead(child)))
		return;
	look_at_silence(child);
	if (now_ns >= child->kill_ns) {
		child_kill(child);
		child_note_killed(child);
	} else if (!child->limit_passed && now_ns >= child->limit->at_ns) {
		child_time_out(child, now_ns);
	} else if (minds_silence(child) && silence_is_over(&child->silence)) {
		child_time_out(child, now_ns);
		child->outcome.was_silent
		    = child->outcome.kind == OUTCOME_TIMED_OUT;
	}
}

/* A signal told backoff to end when COMMAND had already ended. */
static void
on_late_end_signal(struct child *child, const struct arrival *arrival)
{
	if (child->outcome.late_end_signal == 0)
		child->outcome.late_end_signal = arrival->signal;
	if (child->stage == STAGE_ENDING && child->kill_ns < INT64_MAX) {
		child->give_up_ns = clock_now_ns();
		child_kill(child);
	} else if (child->stage == STAGE_RUNNING
	    && (arrival->from_terminal
	        || child_has_died_by(child, arrival->signal))) {
		child_begin_grace(child);
	}
}

static void
on_signal(struct child *child, const struct arrival *arrival)
{
	if (arrival->signal == SIGCHLD) {
		child_reap(child);
		look_at_silence(child);
		return;
	}
	if (child->is_hook && !arrival->ends_us)
		return;
	child->is_hurried = child->is_hurried || arrival->ends_us;
	if (child_is_dead(child)) {
		if (arrival->ends_us)
			on_late_end_signal(child, arrival);
		return;
	}
	if (arrival->ends_us) {
		if (child->outcome.end_signal == 0)
			child->outcome.end_signal = arrival->signal;
		child_begin_grace(child);
	}
	child_pass_on(child, arrival);
}

/*
 * When to wake up next: at a limit, or to check what no event announces, such
 * as whether leftovers still have the held output open, and whether processes
 * that cannot be signalled, or that backoff does not reap, have ended.
 */
static int64_t
next_ns(const struct child *child)
{
	int64_t next_ns = min_ns(child->kill_ns, helper_due_ns());

	if (!child->limit_passed)
		next_ns = min_ns(next_ns, child->limit->at_ns);
	if (child->relay != NULL)
		next_ns = min_ns(next_ns, child->relay->due_ns());
	if (minds_silence(child))
		next_ns = min_ns(next_ns, silence_next_ns(&child->silence));
	if (child->is_patient)
		next_ns = min_ns(next_ns, clock_now_ns() + LOOK_NS);
	if (child->left.refused > 0
	    && (child->pid == 0 || child->stage == STAGE_KILLING))
		next_ns = min_ns(next_ns, clock_now_ns() + REFUSED_LOOK_NS);
	if (child->loses_orphans && child->pid == 0
	    && (child->stage == STAGE_ENDING || child->stage == STAGE_KILLING))
		next_ns = min_ns(next_ns, clock_now_ns() + REFUSED_LOOK_NS);
	return next_ns;
}

/*
 * COMMAND has ended, but not all of its output has been passed on. Wait for
 * that as COMMAND itself would have waited to write it: until its time is up,
 * or backoff is told to end. A leftover process may be about to write output
 * of COMMAND, such as the tee of "exec > >(tee log)", so it gets a moment.
 */
static void
drain(struct child *child)
{
	int64_t now_ns = clock_now_ns();

	if (child->patience_ns == 0)
		child->patience_ns = min_ns(
		    saturating_add(now_ns, PATIENCE_NS), child->limit->at_ns);
	child->is_patient = !child->is_hurried && now_ns < child->patience_ns;
	if (!child->relay->drain(child->is_patient) || child->is_hurried) {
		child->stage = STAGE_OVER;
	} else if (now_ns >= child->limit->at_ns) {
		child->outcome.kind = OUTCOME_TIMED_OUT;
		child->stage = STAGE_OVER;
	}
}

/* Something came on its descriptors, or its time has come. */
static void
on_relay(struct child *child, const struct pollfd *descriptors, int count)
{
	const struct relay *relay = child->relay;

	/* Without a relay there are no descriptors. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	relay->on_ready(descriptors, count);
	if (!relay->has_failed() || child->stage >= STAGE_KILLING)
		return;
	child->give_up_ns = min_ns(child->give_up_ns,
	    saturating_add(clock_now_ns(), child->limit->kill_after_ns));
	child_kill(child);
}

static enum wake
await_event(struct child *child)
{
	struct pollfd descriptors[WAIT_DESCRIPTORS];
	struct arrival arrival;
	int count = 0;
	enum wake wake;

	helper_look();
	if (child->relay != NULL)
		count = child->relay->wanted(descriptors);
	wake = signals_wait(&arrival, next_ns(child), descriptors, count);
	switch (wake) {
	case WAKE_SIGNAL:
		on_signal(child, &arrival);
		break;
	case WAKE_TIME:
		on_time(child);
		if (child->relay != NULL
		    && clock_now_ns() >= child->relay->due_ns())
			on_relay(child, descriptors, count);
		break;
	case WAKE_DESCRIPTOR:
		on_relay(child, descriptors, count);
		break;
	}
	return wake;
}

static void
watch_until_over(struct child *child)
{
	while (child->stage != STAGE_OVER) {
		/* A readable descriptor does not mean that a process ended. */
		if (await_event(child) != WAKE_DESCRIPTOR)
			child_look_what_is_left(child);
		if (child->stage == STAGE_DRAINING)
			drain(child);
	}
}

/* Completes the outcome with the way COMMAND ended. */
static void
conclude(struct child *child)
{
	struct outcome *outcome = &child->outcome;
	struct outcome end = { .status = -1 };
	int late = signals_drain();

	if (child->pid == 0)
		end = outcome_of_wait(child->wait_status);
	if (outcome->kind != OUTCOME_TIMED_OUT)
		outcome->kind = end.kind;
	outcome->status = end.status;
	outcome->signal = end.signal;
	if (outcome->late_end_signal == 0)
		outcome->late_end_signal = late;
	outcome->by_forwarded = outcome->kind == OUTCOME_KILLED
	    && !signals_wakes(end.signal)
	    && signal_set_has(&outcome->forwarded, end.signal);
}

/*
 * Reaps what ended in the pause, when nobody read SIGCHLD (rule 74), if there
 * can be any. Children that are there before the first attempt are not
 * COMMAND's; a dead one must not be taken for one of these.
 */
static void
settle(struct child *child, bool with_tree)
{
	static bool settled, has_others;

	if (!settled) {
		has_others = child_reap(child);
		if (has_others)
			process_tree_spare();
		has_others = has_others || getpid() == 1;
	} else if (with_tree || has_others || helper_pid() != 0) {
		child_reap(child);
	}
	settled = true;
}

struct outcome
supervise(const struct command *command, const struct time_limit *limit)
{
	bool with_tree = limit->at_ns < INT64_MAX
	    || limit->silence_ns < INT64_MAX || limit->grace_ns < INT64_MAX;
	struct child child = {
		.limit = limit,
		.relay = command->relay,
		.is_hook = command->is_hook,
		.kill_ns = INT64_MAX,
		.give_up_ns = INT64_MAX,
	};
	int64_t started_ns;
	struct stat file;

	child.loses_orphans = !with_tree || !processes_adopt_orphans();
	child.tree.loses_orphans = with_tree && child.loses_orphans;
	settle(&child, with_tree);
	started_ns = clock_now_ns();
	child.silence = silence_begin(limit->silence_ns, started_ns);
	child.pid = spawn(command->argv, command->descriptors);
	if (child.pid < 0) {
		child.outcome = outcome_not_started(errno);
		child.outcome.no_interpreter = child.outcome.error == ENOENT
		    && sh_fallback_exists(command->argv[0]);
		child.outcome.is_here = stat(command->argv[0], &file) == 0
		    && S_ISREG(file.st_mode);
		child.outcome.late_end_signal = signals_drain();
	} else {
		if (command->relay != NULL)
			command->relay->started();
		watch_until_over(&child);
		conclude(&child);
	}
	child.outcome.started_ns = started_ns;
	child.outcome.ended_ns = clock_now_ns();
	process_tree_free(&child.tree);
	return child.outcome;
}
