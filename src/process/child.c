/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/child.h"
#include "process/helper.h"
#include "system/system.h"

/* How long a group that is not seen is waited for once it has got KILL. */
#define UNSEEN_END_NS NS_PER_S

/* The wait status to report if COMMAND's own is lost. */
#define STATUS_LOST (STATUS_ERROR << 8)

/* Waits for COMMAND alone, after waitpid(-1) has said that it has no child. */
static void
reap_command(struct child *child)
{
	int status = STATUS_LOST;
	pid_t pid = waitpid(child->pid, &status, WNOHANG);

	if (pid == 0)
		return;
	child->pid = 0;
	child->wait_status = pid > 0 ? status : STATUS_LOST;
}

bool
child_reap(struct child *child)
{
	int status;
	pid_t pid;

	/* EINTR, which some tracers cause, must not end this: no second
	 * SIGCHLD comes. */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0
	    || (pid < 0 && errno == EINTR))
		if (pid > 0 && pid == child->pid) {
			child->pid = 0;
			child->wait_status = status;
		} else if (pid > 0 && pid == helper_pid()) {
			helper_is_reaped();
		}
	/* Cannot happen, but without this backoff would wait for ever. */
	if (pid < 0 && child->pid > 0)
		reap_command(child);
	return pid == 0;
}

/* How COMMAND has ended, without reaping it; si_pid 0: it has not. */
static siginfo_t
peek(const struct child *child)
{
	siginfo_t info = { 0 };

	while (
	    waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT)
	        != 0
	    && errno == EINTR)
		continue;
	return info;
}

bool
child_is_dead(const struct child *child)
{
	return child->pid == 0 || peek(child).si_pid != 0;
}

/* True if, for example, somebody sent both COMMAND and backoff the signal. */
bool
child_has_died_by(const struct child *child, int signal)
{
	siginfo_t info;

	if (child->pid == 0)
		return false;
	info = peek(child);
	return info.si_pid != 0 && info.si_status == signal
	    && (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

bool
child_was_stopped(struct child *child)
{
	bool was_stopped = child->is_stopped;
	siginfo_t info;

	while (child->pid != 0) {
		/* si_pid may be 0 where COMMAND has caught CONT (XNU). */
		info = (siginfo_t) { 0 };
		if (waitid(P_PID, (id_t)child->pid, &info,
		        WSTOPPED | WCONTINUED | WNOHANG)
		        != 0
		    && errno == EINTR)
			continue;
		if (info.si_signo == 0)
			break;
		child->is_stopped = info.si_code != CLD_CONTINUED;
		was_stopped = was_stopped || !child->is_stopped;
	}
	return was_stopped;
}

static void
signal_tree(struct child *child, int signal)
{
	child->left = process_tree_signal(&child->tree, child->pid, signal);
	child->outcome.tree_unseen = child->left.unseen;
}

void
child_kill(struct child *child)
{
	child->stage = STAGE_KILLING;
	child->limit_passed = child->is_hurried = true;
	child->kill_ns = INT64_MAX;
	child->killed_ns = clock_now_ns();
	signal_tree(child, SIGKILL);
}

void
child_note_killed(struct child *child)
{
	struct killed *killed = &child->outcome.killed;
	const struct process *met = &child->left.met;

	/* What is left of a group that is not seen may be zombies. */
	if (child->outcome.tree_unseen && child->pid == 0)
		return;
	killed->count = (int)(child->left.count - child->left.refused);
	killed->pid = met->pid;
	memcpy(killed->name, met->name, sizeof killed->name);
}

/* Plans KILL at NOW_NS + AFTER_NS, unless it is planned for sooner. */
static void
plan_kill(struct child *child, int64_t now_ns, int64_t after_ns)
{
	int64_t kill_ns = saturating_add(now_ns, after_ns);

	child->kill_ns = min_ns(child->kill_ns, kill_ns);
	child->give_up_ns = min_ns(child->give_up_ns, kill_ns);
}

void
child_time_out(struct child *child, int64_t now_ns)
{
	int signal = child->limit->signal;

	child->limit_passed = child->is_hurried = true;
	/* If COMMAND has ended by itself, only the rest of its tree is cut. */
	if (!child_is_dead(child))
		child->outcome.kind = OUTCOME_TIMED_OUT;
	plan_kill(child, now_ns, child->limit->kill_after_ns);
	if (signal == SIGKILL) {
		child_kill(child);
		return;
	}
	child->stage = STAGE_ENDING;
	signal_tree(child, signal);
	/* A stopped process would not see it before CONT (rule 7). */
	if (signal != SIGCONT)
		signal_tree(child, SIGCONT);
}

/*
 * Passes a signal on, unless COMMAND has it from the terminal or sent it itself
 * (rule 22). COMMAND has not been reaped, so its pid cannot be reused.
 */
void
child_pass_on(struct child *child, const struct arrival *arrival)
{
	int signal = arrival->signal;

	if (arrival->sender == child->pid
	    || (arrival->from_terminal && getpgid(child->pid) == getpgrp()))
		return;
	if (kill(child->pid, signal) != 0)
		return;
	signal_set_add(&child->outcome.forwarded, signal);
	if (signal == SIGTERM || signal == SIGHUP)
		kill(child->pid, SIGCONT);
}

void
child_begin_grace(struct child *child)
{
	if (child->limit->grace_ns == INT64_MAX || child->stage > STAGE_ENDING)
		return;
	child->stage = STAGE_ENDING;
	plan_kill(child, clock_now_ns(), child->limit->grace_ns);
	/* Look now, so that a process that becomes an orphan is known. */
	signal_tree(child, 0);
}

static void
begin_draining(struct child *child)
{
	child->left = (struct process_census) { 0 };
	child->stage = child->relay == NULL ? STAGE_OVER : STAGE_DRAINING;
}

/*
 * Whether processes that cannot be signalled have had their time. The others
 * got KILL; but if they are children of those, backoff gets no SIGCHLD for
 * them, so they get one more look.
 */
static bool
is_time_to_give_up(const struct child *child)
{
	int64_t left_ns;

	if (child->left.refused == 0)
		return false;
	left_ns = child->give_up_ns - clock_now_ns();
	return left_ns <= 0
	    && (child->left.count == child->left.refused
	        || left_ns <= -REFUSED_LOOK_NS);
}

/*
 * Whether nobody is left. A group that is not seen is there as long as it has
 * zombies, and their parent may never wait for them.
 */
static bool
is_tree_gone(const struct child *child)
{
	if (child->pid != 0)
		return false;
	return child->left.count == 0
	    || (child->outcome.tree_unseen && child->left.refused == 0
	        && clock_now_ns() - child->killed_ns >= UNSEEN_END_NS);
}

static void
give_up(struct child *child)
{
	const struct process *process = &child->left.unending;
	struct unended *unended = &child->outcome.unended;

	unended->pid = process->pid;
	memcpy(unended->name, process->name, sizeof unended->name);
	/* If COMMAND itself still runs, it has no other outcome. */
	if (child->pid != 0)
		child->outcome.kind = OUTCOME_TIMED_OUT;
	begin_draining(child);
}

void
child_look_what_is_left(struct child *child)
{
	switch (child->stage) {
	case STAGE_RUNNING:
		if (child->pid == 0)
			begin_draining(child);
		break;
	case STAGE_ENDING:
		if (child->pid != 0)
			break;
		signal_tree(child, 0);
		/* If no KILL is planned, wait for COMMAND only. */
		if (child->kill_ns < INT64_MAX ? child->left.count == 0
		                               : child->left.refused == 0)
			begin_draining(child);
		break;
	case STAGE_KILLING:
		if (child->pid != 0 && child->left.refused == 0)
			break;
		/* A death may have left an orphan that KILL missed. */
		signal_tree(child, SIGKILL);
		if (is_tree_gone(child))
			begin_draining(child);
		else if (is_time_to_give_up(child))
			give_up(child);
		break;
	case STAGE_DRAINING:
	case STAGE_OVER:
		break;
	}
}
