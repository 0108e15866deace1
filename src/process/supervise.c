/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/supervise.h"
#include "process/clock.h"
#include "core/duration.h"
#include "process/sh_fallback.h"
#include "process/signals.h"
#include "process/spawn.h"
#include "process/process_tree.h"

enum stage {
	STAGE_RUNNING,
	STAGE_ENDING, /* timed out, told to end */
	STAGE_KILLING,
};

/* For those who have COMMAND's output when it has ended. */
#define PATIENCE_NS (100 * NS_PER_MS)
#define LOOK_NS (2 * NS_PER_MS) /* from one look whether they are gone */

struct child {
	const struct time_limit *limit;
	struct processes preexisting; /* not of COMMAND's tree */
	pid_t pid; /* 0 as soon as it is reaped: nothing is sent to it then */
	int wait_status;
	enum stage stage;
	int64_t kill_ns; /* the moment of KILL */
	int64_t patience_ns; /* the moment at which it ends; 0: not begun */
	bool patient;
	struct outcome outcome;
};

/* Everything that has ended, orphans that came to us included. */
static void
reap(struct child *child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == child->pid) {
			child->pid = 0;
			child->wait_status = status;
		}
}

/* COMMAND has ended, though we have not reaped it yet. */
static bool
is_dead(const struct child *child)
{
	siginfo_t info = { 0 };

	return child->pid == 0
	    || (waitid(
	            P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT)
	            == 0
	        && info.si_pid != 0);
}

static size_t
signal_tree(struct child *child, int signal)
{
	return process_tree_signal(&child->preexisting, child->pid, signal);
}

static bool
is_over(struct child *child)
{
	if (child->pid != 0)
		return false;
	switch (child->stage) {
	case STAGE_RUNNING:
		return true;
	case STAGE_ENDING:
		return child->limit->kill_after_ns == INT64_MAX
		    || signal_tree(child, 0) == 0;
	case STAGE_KILLING:
		break;
	}
	/* Each death may have brought an orphan to us that KILL missed. */
	return signal_tree(child, SIGKILL) == 0;
}

static void
kill_tree(struct child *child)
{
	child->stage = STAGE_KILLING;
	child->kill_ns = INT64_MAX;
	signal_tree(child, SIGKILL);
}

static void
time_out(struct child *child, int64_t now_ns)
{
	int signal = child->limit->signal;

	child->outcome.kind = OUTCOME_TIMED_OUT;
	if (signal == SIGKILL) {
		kill_tree(child);
		return;
	}
	child->stage = STAGE_ENDING;
	if (child->limit->kill_after_ns < INT64_MAX - now_ns
	    && now_ns + child->limit->kill_after_ns < child->kill_ns)
		child->kill_ns = now_ns + child->limit->kill_after_ns;
	signal_tree(child, signal);
	/* What is stopped would not see it before it goes on (rule 7). */
	if (signal != SIGCONT)
		signal_tree(child, SIGCONT);
}

/* The time has come for the next stage, unless COMMAND was faster. */
static void
on_time(struct child *child)
{
	int64_t now_ns = clock_now_ns();

	if (child->stage == STAGE_RUNNING && is_dead(child))
		return;
	if (now_ns >= child->kill_ns) {
		child->outcome.killed
		    = process_tree_left(&child->preexisting, child->pid);
		kill_tree(child);
	} else if (child->stage == STAGE_RUNNING
	    && now_ns >= child->limit->at_ns)
		time_out(child, now_ns);
}

/*
 * Passes a signal on, unless COMMAND has it from the terminal or sent it
 * itself (rule 22). It has not been reaped, so the pid is no one else's.
 */
static void
forward(struct child *child, const struct arrival *arrival)
{
	int signal = arrival->signal;

	if (arrival->sender == child->pid
	    || (arrival->from_terminal && getpgid(child->pid) == getpgrp()))
		return;
	if (kill(child->pid, signal) != 0)
		return;
	child->outcome.forwarded |= UINT64_C(1) << (signal - 1);
	if (signal == SIGTERM || signal == SIGHUP)
		kill(child->pid, SIGCONT);
}

static void
on_signal(struct child *child, const struct arrival *arrival)
{
	int64_t grace_ns = child->limit->grace_ns;
	int64_t now_ns;

	if (arrival->signal == SIGCHLD) {
		reap(child);
		return;
	}
	if (is_dead(child)) {
		if (!signals_ends(arrival->signal))
			return;
		if (child->outcome.late_end_signal == 0)
			child->outcome.late_end_signal = arrival->signal;
		if (child->stage != STAGE_RUNNING
		    && child->limit->kill_after_ns < INT64_MAX)
			kill_tree(child);
		return;
	}
	if (signals_ends(arrival->signal)) {
		if (child->outcome.end_signal == 0)
			child->outcome.end_signal = arrival->signal;
		now_ns = grace_ns < INT64_MAX ? clock_now_ns() : 0;
		if (grace_ns < INT64_MAX - now_ns
		    && now_ns + grace_ns < child->kill_ns)
			child->kill_ns = now_ns + grace_ns;
	}
	forward(child, arrival);
}

/*
 * The next moment at which something is to be done about COMMAND, or to see
 * whether others have its held output still, which nothing announces.
 */
static int64_t
next_ns(const struct child *child)
{
	int64_t cutoff_ns = child->limit->at_ns;
	int64_t next_ns = child->kill_ns;

	if (child->stage == STAGE_RUNNING)
		next_ns = min_ns(next_ns, cutoff_ns);
	if (child->patient)
		next_ns = min_ns(next_ns, clock_now_ns() + LOOK_NS);
	return next_ns;
}

/*
 * COMMAND is over, but not all that it wrote has found its way. That is
 * waited for as COMMAND itself would wait to write it: until its time is
 * up, or we are told to end. What it has left behind may be about to write
 * what is COMMAND's, as the tee of "exec > >(tee log)"; it gets a moment.
 */
static bool
is_draining(struct child *child, const struct relay *relay)
{
	const struct outcome *outcome = &child->outcome;
	bool disturbed = child->stage != STAGE_RUNNING
	    || outcome->end_signal != 0 || outcome->late_end_signal != 0;
	int64_t now_ns;

	if (relay == NULL)
		return false;
	now_ns = clock_now_ns();
	if (child->patience_ns == 0)
		child->patience_ns = min_ns(
		    saturating_add(now_ns, PATIENCE_NS), child->limit->at_ns);
	child->patient = !disturbed && now_ns < child->patience_ns;
	if (!relay->drain(child->patient) || disturbed)
		return false;
	if (now_ns < child->limit->at_ns)
		return true;
	child->outcome.kind = OUTCOME_TIMED_OUT;
	return false;
}

static void
on_descriptors(struct child *child, const struct relay *relay,
    const struct pollfd *descriptors, int count)
{
	relay->on_ready(descriptors, count);
	if (relay->has_failed() && child->stage != STAGE_KILLING)
		kill_tree(child);
}

static void
watch_until_over(struct child *child, const struct relay *relay)
{
	struct pollfd descriptors[WAIT_DESCRIPTORS];
	struct arrival arrival;
	int count = 0;

	do {
		if (relay != NULL)
			count = relay->wanted(descriptors);
		switch (signals_wait(
		    &arrival, next_ns(child), descriptors, count)) {
		case WAKE_SIGNAL:
			on_signal(child, &arrival);
			break;
		case WAKE_TIME:
			on_time(child);
			break;
		case WAKE_DESCRIPTOR:
			on_descriptors(child, relay, descriptors, count);
			break;
		}
	} while (!is_over(child) || is_draining(child, relay));
}

/* Puts what became of COMMAND into the outcome of the watch. */
static void
conclude(struct child *child)
{
	struct outcome *outcome = &child->outcome;
	struct outcome end = outcome_of_wait(child->wait_status);
	int late = signals_drain();

	if (outcome->kind != OUTCOME_TIMED_OUT)
		outcome->kind = end.kind;
	outcome->status = end.status;
	outcome->signal = end.signal;
	if (outcome->late_end_signal == 0)
		outcome->late_end_signal = late;
	outcome->by_forwarded = outcome->kind == OUTCOME_KILLED
	    && !signals_wakes(end.signal)
	    && (outcome->forwarded >> (end.signal - 1) & 1) != 0;
}

/*
 * Whether children can be ours that we did not start: those that we were
 * given, and the orphans that come to PID 1.
 */
static bool
has_strangers(void)
{
	static int known = -1;
	siginfo_t info;

	if (known < 0)
		known = getpid() == 1
		    || waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)
		        == 0;
	return known == 1;
}

struct outcome
supervise(const struct command *command, const struct time_limit *limit)
{
	bool with_tree
	    = limit->at_ns < INT64_MAX || limit->grace_ns < INT64_MAX;
	struct child child = { .limit = limit, .kill_ns = INT64_MAX };
	int64_t started_ns;

	if (with_tree)
		process_tree_adopt_orphans();
	if (with_tree || command->is_fed)
		child.preexisting = process_tree_before();
	/* What ended while nobody listened: rule 74. */
	if (with_tree || has_strangers())
		reap(&child);
	started_ns = clock_now_ns();
	child.pid = spawn(command->argv, command->descriptors);
	if (child.pid < 0) {
		child.outcome = outcome_not_started(errno);
		child.outcome.no_interpreter = child.outcome.error == ENOENT
		    && sh_fallback_exists(command->argv[0]);
		child.outcome.late_end_signal = signals_drain();
	} else {
		if (command->relay != NULL)
			command->relay->started();
		watch_until_over(&child, command->relay);
		conclude(&child);
	}
	child.outcome.started_ns = started_ns;
	child.outcome.ended_ns = clock_now_ns();
	free(child.preexisting.list);
	return child.outcome;
}
