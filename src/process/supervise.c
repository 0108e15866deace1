/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"
#include "types/option_types.h"

#define SILENCE_LOOKS 10 /* in the time of the limit */

/* The time between two looks at processes whose end no event announces. */
#define REFUSED_LOOK_NS (100 * NS_PER_MS)

/* How long to wait for a group that is not seen, once it has got KILL. */
#define UNSEEN_END_NS NS_PER_S

/* How long it may go on at most without the input that has failed. */
#define INPUTLESS_NS (10 * NS_PER_S)

/* How long leftover processes may still write to COMMAND's output. */
#define PATIENCE_NS (100 * NS_PER_MS)
#define PATIENT_LOOK_NS (2 * NS_PER_MS)

struct helper helper;

/* The stages of an attempt, in order: it never goes back. */
enum stage {
	STAGE_RUNNING,
	STAGE_GRACE, /* told to end with a --grace */
	STAGE_ENDING, /* timed out, or without input: no limit applies now */
	STAGE_KILLING,
	STAGE_FLUSHING, /* all processes ended; their output is passed on */
	STAGE_OVER,
};

/* COMMAND, or a hook, while it runs. */
struct child {
	const struct command *command;
	const struct options *options;
	struct process_tree tree;
	bool loses_orphans; /* backoff does not adopt them: no SIGCHLD either */
	pid_t pid; /* 0 once it is reaped, so that nothing is sent to it */
	enum stage stage;
	struct silence silence;
	bool is_stopped; /* COMMAND, by a signal such as TSTP */
	bool is_hurried; /* by the limit, or because backoff must end */
	/* When to send KILL, and then, until when to wait for what refuses
	 * signals; INT64_MAX: never. */
	int64_t kill_ns;
	int64_t killed_ns; /* when KILL was sent */
	int64_t patience_ns; /* until when to be patient */
	bool is_patient; /* waits for leftovers that hold the output open */
	struct outcome outcome; /* its end, too, once it is reaped */
};

/* --- silence --- */

static int64_t
between_looks(const struct silence *silence)
{
	return silence->limit_ns / SILENCE_LOOKS
	    + (silence->limit_ns % SILENCE_LOOKS != 0);
}

bool
silence_look(
    struct silence *silence, int64_t now_ns, int64_t wrote_ns, bool was_stopped)
{
	int64_t since_ns = max_ns(silence->looked_ns, wrote_ns);

	if (wrote_ns >= silence->looked_ns)
		silence->lasted_ns = 0;
	/*
	 * A look that comes late means that backoff did not run either: it was
	 * stopped together with the attempt, or the machine is overloaded.
	 */
	if (!was_stopped)
		silence->lasted_ns
		    += min_ns(now_ns - since_ns, between_looks(silence));
	silence->looked_ns = now_ns;
	return silence->lasted_ns >= silence->limit_ns;
}

int64_t
silence_next_ns(const struct silence *silence)
{
	int64_t left_ns = max_ns(silence->limit_ns - silence->lasted_ns, 0);

	return saturating_add(
	    silence->looked_ns, min_ns(between_looks(silence), left_ns));
}

/* --- whether COMMAND has ended --- */

/*
 * Reaps everything that has ended, including adopted orphans. Returns whether
 * there are other children.
 */
static bool
reap(struct child *child)
{
	int status, refusals = 0;
	pid_t pid;

	/*
	 * EINTR, which some tracers cause, must not end this: no second SIGCHLD
	 * comes. Nor may another error, once, while COMMAND is to be reaped.
	 */
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0
	    || (pid < 0
	        && (errno == EINTR || (child->pid > 0 && refusals++ == 0)))) {
		if (pid == helper.pid)
			helper.pid = 0;
		if (pid == child->pid) {
			child->pid = 0;
			outcome_take_wait(&child->outcome, status);
		}
	}
	/* Cannot happen, but without this backoff would wait for ever. */
	if (pid < 0 && child->pid > 0) {
		child->pid = 0;
		child->outcome.status = STATUS_ERROR;
	}
	return pid == 0;
}

/* The next change of COMMAND's state among those WANTED; all 0: none. */
static siginfo_t
change_of(const struct child *child, int wanted)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)child->pid, &info, wanted | WNOHANG) != 0
	    && errno == EINTR)
		continue;
	return info;
}

/* Whether COMMAND has ended, reaped or not. */
static bool
is_dead(const struct child *child)
{
	return child->pid == 0
	    || change_of(child, WEXITED | WNOWAIT).si_pid != 0;
}

/*
 * Whether SIGNAL has killed COMMAND, which has not been reaped yet: somebody
 * may have sent it to both COMMAND and backoff.
 */
static bool
has_died_by(const struct child *child, int signal)
{
	siginfo_t info = change_of(child, WEXITED | WNOWAIT);

	return info.si_status == signal && info.si_code != CLD_EXITED;
}

/*
 * Whether COMMAND was stopped at some time since the last call. If it stopped
 * and continued in between, it is not known when: that counts as stopped.
 */
static bool
take_stops(struct child *child)
{
	bool was_stopped = child->is_stopped;
	siginfo_t info;

	while (child->pid != 0) {
		info = change_of(child, WSTOPPED | WCONTINUED);
		/* si_pid may be 0 where COMMAND has caught CONT (XNU). */
		if (info.si_signo == 0)
			break;
		child->is_stopped = info.si_code != CLD_CONTINUED;
		was_stopped = was_stopped || !child->is_stopped;
	}
	return was_stopped;
}

/* --- ending it --- */

static void
signal_tree(struct child *child, int signal)
{
	child->outcome.left
	    = process_tree_signal(&child->tree, child->pid, signal);
}

static void
kill_tree(struct child *child)
{
	child->stage = STAGE_KILLING;
	child->is_hurried = true;
	child->killed_ns = clock_now_ns();
	signal_tree(child, SIGKILL);
}

/* Plans KILL after that time, unless it is planned for sooner. */
static void
plan_kill(struct child *child, int64_t after_ns)
{
	child->kill_ns
	    = min_ns(child->kill_ns, saturating_add(clock_now_ns(), after_ns));
}

/* Sends --signal to the tree, and KILL after --kill-after. */
static void
end_tree(struct child *child)
{
	int signal = child->options->job.signal;

	child->is_hurried = true;
	plan_kill(child, child->options->settings.limits.kill_after_ns);
	if (signal == SIGKILL) {
		kill_tree(child);
		return;
	}
	child->stage = STAGE_ENDING;
	signal_tree(child, signal);
	/* A stopped process would not see it before CONT (rule 7). */
	if (signal != SIGCONT)
		signal_tree(child, SIGCONT);
}

static void
time_out(struct child *child)
{
	/* If COMMAND has ended by itself, only the rest of its tree is cut. */
	if (!is_dead(child))
		child->outcome.kind = OUTCOME_TIMED_OUT;
	end_tree(child);
}

/* Starts --grace, after an end signal. */
static void
begin_grace(struct child *child)
{
	int64_t grace_ns = child->options->job.grace_ns;

	if (grace_ns == INT64_MAX || child->stage > STAGE_ENDING)
		return;
	if (child->stage == STAGE_RUNNING)
		child->stage = STAGE_GRACE;
	plan_kill(child, grace_ns);
	/* Look now, so that a process that becomes an orphan is known. */
	signal_tree(child, 0);
}

static void
begin_flushing(struct child *child)
{
	child->stage
	    = child->command->relay == NULL ? STAGE_OVER : STAGE_FLUSHING;
	child->patience_ns
	    = min_ns(clock_now_ns() + PATIENCE_NS, child->command->cutoff_ns);
}

/*
 * Whether nobody is left to wait for, after KILL. What backoff may not signal
 * has its time. Such a process can have children that backoff killed. That
 * process reaps them, so no SIGCHLD tells backoff: they have until the next
 * look. A group that is not seen is there as long as it has zombies, and their
 * parent may never wait for them.
 */
static bool
is_killed(const struct child *child)
{
	const struct census *left = &child->outcome.left;

	if (left->refused > 0)
		return clock_now_ns() - max_ns(child->kill_ns, child->killed_ns)
		    >= REFUSED_LOOK_NS;
	return child->pid == 0
	    && (left->reached == 0
	        || (left->unseen
	            && clock_now_ns() - child->killed_ns >= UNSEEN_END_NS));
}

/*
 * A process may have ended, or a time may have come: enters the next stage if
 * there is nothing left to wait for.
 */
static void
look_what_is_left(struct child *child)
{
	switch (child->stage) {
	case STAGE_RUNNING:
		if (child->pid == 0)
			begin_flushing(child);
		break;
	case STAGE_GRACE:
	case STAGE_ENDING:
		if (child->pid != 0)
			break;
		signal_tree(child, 0);
		/* If no KILL is planned, wait for COMMAND only. */
		if (child->outcome.left.refused == 0
		    && (child->outcome.left.reached == 0
		        || child->kill_ns == INT64_MAX))
			begin_flushing(child);
		break;
	case STAGE_KILLING:
		if (child->pid != 0 && child->outcome.left.refused == 0)
			break;
		/* A death may have left an orphan that KILL missed. */
		signal_tree(child, SIGKILL);
		if (!is_killed(child))
			break;
		/* If COMMAND itself still runs, it has no other outcome. */
		if (child->pid != 0)
			child->outcome.kind = OUTCOME_TIMED_OUT;
		begin_flushing(child);
		break;
	case STAGE_FLUSHING:
	case STAGE_OVER:
		break;
	}
}

/* --- what happens meanwhile --- */

/* Whether --idle-timeout applies to the stage. */
static bool
minds_silence(const struct child *child)
{
	return child->silence.limit_ns < INT64_MAX
	    && child->stage < STAGE_ENDING && child->command->relay != NULL;
}

/* Whether it has lasted too long. */
static bool
look_at_silence(struct child *child)
{
	int64_t now_ns, wrote_ns;

	if (!minds_silence(child))
		return false;
	now_ns = clock_now_ns();
	/* Without a relay nobody minds silence. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	wrote_ns = child->command->relay->wrote(now_ns);
	return silence_look(
	    &child->silence, now_ns, wrote_ns, take_stops(child));
}

/* A limit has been reached, unless COMMAND ended just before. */
static void
on_time(struct child *child)
{
	struct outcome *outcome = &child->outcome;
	int64_t now_ns;
	bool is_silent;

	if (child->stage >= STAGE_FLUSHING
	    || (child->stage == STAGE_RUNNING && is_dead(child)))
		return;
	now_ns = clock_now_ns();
	is_silent = look_at_silence(child);
	if (child->stage < STAGE_KILLING && now_ns >= child->kill_ns) {
		kill_tree(child);
		/* What is left of a group that is not seen may be zombies. */
		if (!outcome->left.unseen || child->pid != 0)
			outcome->killed = outcome->left;
	} else if (child->stage < STAGE_ENDING
	    && now_ns >= child->command->cutoff_ns) {
		time_out(child);
	} else if (is_silent) {
		time_out(child);
		outcome->was_silent = outcome->kind == OUTCOME_TIMED_OUT;
	}
}

/* An end signal came when COMMAND had already ended. */
static void
on_late_end_signal(struct child *child, const struct queued_signal *arrival)
{
	outcome_end_late(&child->outcome, arrival->signal);
	if (child->stage <= STAGE_ENDING && child->kill_ns < INT64_MAX) {
		child->kill_ns = clock_now_ns();
		kill_tree(child);
	} else if (child->stage == STAGE_RUNNING
	    && (signals_by_terminal(arrival)
	        || has_died_by(child, arrival->signal))) {
		begin_grace(child);
	}
}

/*
 * Passes a signal on, unless COMMAND has it from the terminal or sent it itself
 * (rule 22). COMMAND has not been reaped, so its pid cannot be reused.
 */
static void
pass_on(struct child *child, const struct queued_signal *arrival)
{
	int signal = arrival->signal;

	if (arrival->sender == child->pid
	    || (signals_by_terminal(arrival)
	        && getpgid(child->pid) == getpgrp()))
		return;
	if (kill(child->pid, signal) != 0)
		return;
	sigaddset(&child->outcome.forwarded, signal);
	if (signal == SIGTERM || signal == SIGHUP)
		kill(child->pid, SIGCONT);
}

static void
on_signal(struct child *child, const struct queued_signal *arrival)
{
	bool ends_us = signals_ends(arrival->signal);

	if (arrival->signal == SIGCHLD) {
		reap(child);
		look_at_silence(child);
		return;
	}
	if (child->command->is_hook && !ends_us)
		return;
	child->is_hurried = child->is_hurried || ends_us;
	if (is_dead(child)) {
		if (ends_us)
			on_late_end_signal(child, arrival);
		return;
	}
	if (ends_us) {
		if (child->outcome.end_signal == 0)
			child->outcome.end_signal = arrival->signal;
		begin_grace(child);
	}
	pass_on(child, arrival);
}

/* Something came on its descriptors, or its time has come. */
static void
on_relay(struct child *child, const struct pollfd *descriptors)
{
	/* Without a relay there are no descriptors. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	if (child->command->relay->on_ready(descriptors)
	    || child->stage != STAGE_RUNNING)
		return;
	/* It may wait for ever for input that does not come. */
	plan_kill(child, INPUTLESS_NS);
	end_tree(child);
}

/*
 * When to wake up next: at a limit, or to check what no event announces, such
 * as whether leftovers still have the held output open, and whether processes
 * that cannot be signalled, or that backoff does not reap, have ended.
 */
static int64_t
next_ns(const struct child *child)
{
	int64_t next_ns
	    = child->stage < STAGE_KILLING ? child->kill_ns : INT64_MAX;

	if (child->stage < STAGE_ENDING || child->stage == STAGE_FLUSHING)
		next_ns = min_ns(next_ns, child->command->cutoff_ns);
	if (minds_silence(child))
		next_ns = min_ns(next_ns, silence_next_ns(&child->silence));
	if (child->is_patient)
		next_ns = min_ns(next_ns, clock_now_ns() + PATIENT_LOOK_NS);
	if (child->stage < STAGE_FLUSHING
	    && (child->outcome.left.refused > 0
	            ? child->pid == 0 || child->stage == STAGE_KILLING
	            : child->pid == 0 && child->loses_orphans))
		next_ns = min_ns(next_ns, clock_now_ns() + REFUSED_LOOK_NS);
	return next_ns;
}

static enum wake
await_event(struct child *child)
{
	const struct relay *relay = child->command->relay;
	struct pollfd watched[1 + RELAY_DESCRIPTORS];
	struct queued_signal arrival;
	int count = 1;
	int64_t helper_ns = helper.look != NULL ? helper.look() : INT64_MAX;
	int64_t due_ns = INT64_MAX;
	enum wake wake;

	if (relay != NULL)
		count += relay->wanted(watched + 1, &due_ns);
	wake = signals_wait(&arrival,
	    min_ns(next_ns(child), min_ns(due_ns, helper_ns)), watched, count);
	if (wake == WAKE_SIGNAL)
		on_signal(child, &arrival);
	/* However many signals come, limits hold. */
	if (wake != WAKE_DESCRIPTOR)
		on_time(child);
	if (wake == WAKE_DESCRIPTOR
	    || (wake == WAKE_TIME && clock_now_ns() >= due_ns))
		on_relay(child, watched + 1);
	return wake;
}

/*
 * COMMAND has ended, but not all of its output has been passed on. Wait for
 * that as COMMAND itself would have waited to write it: until its time is up,
 * or an end signal comes. A leftover process may be about to write output of
 * COMMAND, such as the tee of "exec > >(tee log)", so it gets a moment.
 */
static void
flush(struct child *child)
{
	int64_t now_ns = clock_now_ns();

	child->is_patient = !child->is_hurried && now_ns < child->patience_ns;
	if (!child->command->relay->flush(child->is_patient)
	    || child->is_hurried) {
		child->stage = STAGE_OVER;
	} else if (now_ns >= child->command->cutoff_ns) {
		child->outcome.kind = OUTCOME_TIMED_OUT;
		child->stage = STAGE_OVER;
	}
}

static void
watch_until_over(struct child *child)
{
	while (child->stage != STAGE_OVER) {
		/* A readable descriptor does not mean that a process ended. */
		if (await_event(child) != WAKE_DESCRIPTOR)
			look_what_is_left(child);
		if (child->stage == STAGE_FLUSHING)
			flush(child);
	}
}

/* --- one attempt --- */

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
		has_others = reap(child);
		if (has_others)
			process_tree_spare();
		has_others = has_others || getpid() == 1;
	} else if (with_tree || has_others || helper.pid != 0) {
		reap(child);
	}
	settled = true;
}

/* The outcome of a COMMAND that could not be started with errno ERROR. */
static struct outcome
not_started(char *name, int error)
{
	struct outcome outcome = outcome_not_started(error);
	struct stat file;

	outcome.no_interpreter = error == ENOENT && spawn_finds(name);
	outcome.is_here = stat(name, &file) == 0 && S_ISREG(file.st_mode);
	return outcome;
}

struct outcome
supervise(const struct command *command, const struct options *options)
{
	int64_t silence_ns = command->is_hook
	    ? INT64_MAX
	    : options->settings.limits.idle_timeout_ns;
	int64_t started_ns;
	bool with_tree = command->cutoff_ns < INT64_MAX
	    || silence_ns < INT64_MAX || options->job.grace_ns < INT64_MAX;
	struct child child = {
		.command = command,
		.options = options,
		.silence.limit_ns = silence_ns,
		.kill_ns = INT64_MAX,
		.outcome.status = -1,
	};
	struct outcome *outcome = &child.outcome;

	child.loses_orphans = !with_tree || !processes_adopt_orphans();
	child.tree.loses_orphans = with_tree && child.loses_orphans;
	settle(&child, with_tree);
	started_ns = child.silence.looked_ns = clock_now_ns();
	child.pid = spawn(command);
	if (command->relay != NULL)
		command->relay->spawned();
	if (child.pid < 0)
		*outcome = not_started(command->argv[0], errno);
	else
		watch_until_over(&child);
	outcome_end_late(outcome, signals_drain());
	outcome->by_forwarded = outcome->kind == OUTCOME_KILLED
	    && !signals_wakes(outcome->signal)
	    && sigismember(&outcome->forwarded, outcome->signal) == 1;
	outcome->started_ns = started_ns;
	outcome->ended_ns = clock_now_ns();
	free(child.tree.known.list);
	return *outcome;
}
