/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "duration.h"
#include "script.h"
#include "signals.h"
#include "spawn.h"
#include "tree.h"

enum stage {
	STAGE_RUNNING,
	STAGE_ENDING, /* timed out, told to end */
	STAGE_KILLING,
};

/* For those who have COMMAND's output when it has ended. */
#define PATIENCE_NS (100 * NS_PER_MS)
#define LOOK_NS (2 * NS_PER_MS) /* from one look whether they are gone */

struct watch {
	const struct cut *cut;
	struct processes spared; /* not of COMMAND's tree */
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
reap(struct watch *watch)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == watch->pid) {
			watch->pid = 0;
			watch->wait_status = status;
		}
}

/* COMMAND has ended, though we have not reaped it yet. */
static bool
is_dead(const struct watch *watch)
{
	siginfo_t info = { 0 };

	return watch->pid == 0
	    || (waitid(
	            P_PID, (id_t)watch->pid, &info, WEXITED | WNOHANG | WNOWAIT)
	            == 0
	        && info.si_pid != 0);
}

static size_t
signal_tree(struct watch *watch, int signal)
{
	return tree_signal(&watch->spared, watch->pid, signal);
}

static bool
is_over(struct watch *watch)
{
	if (watch->pid != 0)
		return false;
	switch (watch->stage) {
	case STAGE_RUNNING:
		return true;
	case STAGE_ENDING:
		return watch->cut->kill_after_ns == INT64_MAX
		    || signal_tree(watch, 0) == 0;
	case STAGE_KILLING:
		break;
	}
	/* Each death may have brought an orphan to us that KILL missed. */
	return signal_tree(watch, SIGKILL) == 0;
}

static void
kill_tree(struct watch *watch)
{
	watch->stage = STAGE_KILLING;
	watch->kill_ns = INT64_MAX;
	signal_tree(watch, SIGKILL);
}

static void
time_out(struct watch *watch, int64_t now_ns)
{
	int signal = watch->cut->signal;

	watch->outcome.kind = OUTCOME_TIMED_OUT;
	if (signal == SIGKILL) {
		kill_tree(watch);
		return;
	}
	watch->stage = STAGE_ENDING;
	if (watch->cut->kill_after_ns < INT64_MAX - now_ns
	    && now_ns + watch->cut->kill_after_ns < watch->kill_ns)
		watch->kill_ns = now_ns + watch->cut->kill_after_ns;
	signal_tree(watch, signal);
	/* What is stopped would not see it before it goes on (rule 7). */
	if (signal != SIGCONT)
		signal_tree(watch, SIGCONT);
}

/* The time has come for the next stage, unless COMMAND was faster. */
static void
on_time(struct watch *watch)
{
	int64_t now_ns = clock_now_ns();

	if (watch->stage == STAGE_RUNNING && is_dead(watch))
		return;
	if (now_ns >= watch->kill_ns)
		kill_tree(watch);
	else if (watch->stage == STAGE_RUNNING && now_ns >= watch->cut->at_ns)
		time_out(watch, now_ns);
}

/*
 * Passes a signal on, unless COMMAND has it from the terminal or sent it
 * itself (rule 22). It has not been reaped, so the pid is no one else's.
 */
static void
pass_on(struct watch *watch, const struct arrival *arrival)
{
	int signal = arrival->signal;

	if (arrival->sender == watch->pid
	    || (arrival->from_terminal && getpgid(watch->pid) == getpgrp()))
		return;
	if (kill(watch->pid, signal) != 0)
		return;
	watch->outcome.forwarded |= UINT64_C(1) << (signal - 1);
	if (signal == SIGTERM || signal == SIGHUP)
		kill(watch->pid, SIGCONT);
}

static void
on_signal(struct watch *watch, const struct arrival *arrival)
{
	int64_t grace_ns = watch->cut->grace_ns;
	int64_t now_ns;

	if (arrival->signal == SIGCHLD) {
		reap(watch);
		return;
	}
	if (is_dead(watch)) {
		if (!signals_ends(arrival->signal))
			return;
		if (watch->outcome.told_late == 0)
			watch->outcome.told_late = arrival->signal;
		if (watch->stage != STAGE_RUNNING
		    && watch->cut->kill_after_ns < INT64_MAX)
			kill_tree(watch);
		return;
	}
	if (signals_ends(arrival->signal)) {
		if (watch->outcome.told == 0)
			watch->outcome.told = arrival->signal;
		now_ns = grace_ns < INT64_MAX ? clock_now_ns() : 0;
		if (grace_ns < INT64_MAX - now_ns
		    && now_ns + grace_ns < watch->kill_ns)
			watch->kill_ns = now_ns + grace_ns;
	}
	pass_on(watch, arrival);
}

/*
 * The next moment at which something is to be done about COMMAND, or to see
 * whether others have its held output still, which nothing announces.
 */
static int64_t
next_ns(const struct watch *watch)
{
	int64_t cut_ns = watch->cut->at_ns;
	int64_t next_ns = watch->kill_ns;

	if (watch->stage == STAGE_RUNNING)
		next_ns = min_ns(next_ns, cut_ns);
	if (watch->patient)
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
is_draining(struct watch *watch, const struct pump *pump)
{
	const struct outcome *outcome = &watch->outcome;
	bool disturbed = watch->stage != STAGE_RUNNING || outcome->told != 0
	    || outcome->told_late != 0;
	int64_t now_ns;

	if (pump == NULL)
		return false;
	now_ns = clock_now_ns();
	if (watch->patience_ns == 0)
		watch->patience_ns = min_ns(
		    saturating_add(now_ns, PATIENCE_NS), watch->cut->at_ns);
	watch->patient = !disturbed && now_ns < watch->patience_ns;
	if (!pump->drain(watch->patient) || disturbed)
		return false;
	if (now_ns < watch->cut->at_ns)
		return true;
	watch->outcome.kind = OUTCOME_TIMED_OUT;
	return false;
}

static void
serve(struct watch *watch, const struct pump *pump,
    const struct pollfd *descriptors, int count)
{
	pump->serve(descriptors, count);
	if (pump->is_hopeless() && watch->stage != STAGE_KILLING)
		kill_tree(watch);
}

static void
watch_until_over(struct watch *watch, const struct pump *pump)
{
	struct pollfd descriptors[WAIT_DESCRIPTORS];
	struct arrival arrival;
	int count = 0;

	do {
		if (pump != NULL)
			count = pump->wanted(descriptors);
		switch (signals_wait(
		    &arrival, next_ns(watch), descriptors, count)) {
		case WAKE_SIGNAL:
			on_signal(watch, &arrival);
			break;
		case WAKE_TIME:
			on_time(watch);
			break;
		case WAKE_DESCRIPTOR:
			serve(watch, pump, descriptors, count);
			break;
		}
	} while (!is_over(watch) || is_draining(watch, pump));
}

/* Puts what became of COMMAND into the outcome of the watch. */
static void
conclude(struct watch *watch)
{
	struct outcome *outcome = &watch->outcome;
	struct outcome end = outcome_of_wait(watch->wait_status);
	int late = signals_drain();

	if (outcome->kind != OUTCOME_TIMED_OUT)
		outcome->kind = end.kind;
	outcome->status = end.status;
	outcome->signal = end.signal;
	if (outcome->told_late == 0)
		outcome->told_late = late;
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
child_run(const struct command *command, const struct cut *cut)
{
	bool with_tree = cut->at_ns < INT64_MAX || cut->grace_ns < INT64_MAX;
	struct watch watch = { .cut = cut, .kill_ns = INT64_MAX };
	int64_t started_ns;

	if (with_tree)
		tree_adopt_orphans();
	if (with_tree || command->is_fed)
		watch.spared = tree_before();
	/* What ended while nobody listened: rule 74. */
	if (with_tree || has_strangers())
		reap(&watch);
	started_ns = clock_now_ns();
	watch.pid = spawn(command->argv, command->descriptors);
	if (watch.pid < 0) {
		watch.outcome = outcome_not_started(errno);
		watch.outcome.no_interpreter = watch.outcome.error == ENOENT
		    && script_exists(command->argv[0]);
		watch.outcome.told_late = signals_drain();
	} else {
		if (command->pump != NULL)
			command->pump->started();
		watch_until_over(&watch, command->pump);
		conclude(&watch);
	}
	watch.outcome.started_ns = started_ns;
	watch.outcome.ended_ns = clock_now_ns();
	free(watch.spared.list);
	return watch.outcome;
}
