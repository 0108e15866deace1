/* SPDX-License-Identifier: MIT */
#include <config.h>

/*
 * glibc's fortified ppoll(2) takes a 32-bit timespec even where time_t has 64
 * bits (2.36, i386): the kernel reads a timeout of 0, and the wait spins.
 */
#undef _FORTIFY_SOURCE

#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/judge/outcome.h"
#include "process/clock.h"
#include "process/fd.h"
#include "process/parent.h"
#include "process/signals.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* Passed on to a running attempt; SIGRTMIN to SIGRTMAX belong here too. */
static const int passing[] = {
	SIGUSR1,
	SIGUSR2,
	SIGALRM,
	SIGVTALRM,
	SIGPROF,
	SIGURG,
	SIGIO,
	SIGWINCH,
	SIGPWR,
#ifdef SIGSTKFLT
	SIGSTKFLT,
#endif
};

_Static_assert(NSIG - 1 <= SIGNAL_SET_MOST, "a signal_set has room for all");

static sigset_t entry_mask;
static sigset_t life_mask; /* normally */
static sigset_t pause_mask; /* life_mask without the signals in PAUSING */
static sigset_t write_mask; /* life_mask and what a failed write raises */
static sigset_t handled; /* the signals read from the descriptor */
static sigset_t ends_us; /* of these, those that can tell backoff to end */
static struct sigaction entry_child_action;
static int wake_signal, descriptor;
static bool narrowed; /* the descriptor reports only those in ends_us */
static bool met; /* signals_await_room() has met one of them */

/* The signals that end a pause, except those ignored at the start. */
static int pausing[ARRAY_LENGTH(ending) + 3];
static size_t pausing_count;

static bool
is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) != 0
	    || action.sa_handler == SIG_IGN;
}

/* An ignored SIGCHLD, or SA_NOCLDWAIT, would lose the exit status. */
static void
take_child_signal(sigset_t *set)
{
	sigaction(SIGCHLD, NULL, &entry_child_action);
	if (entry_child_action.sa_handler != SIG_DFL
	    || entry_child_action.sa_flags != 0)
		signal(SIGCHLD, SIG_DFL);
	sigaddset(set, SIGCHLD);
}

/* Computes the masks from the sets of signals. */
static void
derive_masks(void)
{
	life_mask = entry_mask;
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&handled, signal) == 1)
			sigaddset(&life_mask, signal);
	write_mask = life_mask;
	sigaddset(&write_mask, SIGPIPE);
	sigaddset(&write_mask, SIGXFSZ);
	sigemptyset(&ends_us);
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++) {
		if (sigismember(&handled, ending[i]) == 0)
			continue;
		pausing[pausing_count++] = ending[i];
		if (ending[i] != wake_signal)
			sigaddset(&ends_us, ending[i]);
	}
	if (wake_signal != 0 && !is_ignored(wake_signal))
		pausing[pausing_count++] = wake_signal;
	if (parent_signal() != 0) {
		pausing[pausing_count++] = parent_signal();
		sigaddset(&ends_us, parent_signal());
	}
#ifndef PAUSE_BY_NANOSLEEP
	if (!is_ignored(SIGCONT))
		pausing[pausing_count++] = SIGCONT;
#endif
	pause_mask = life_mask;
	for (size_t i = 0; i < pausing_count; i++)
		sigdelset(&pause_mask, pausing[i]);
}

bool
signals_start(int wake_on, bool with_parent)
{
	wake_signal = wake_on;
	if (with_parent)
		parent_choose_signal(wake_on);
	sigemptyset(&handled);
	/* Rule 13: a signal ignored at the start stays ignored. */
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		if (!is_ignored(ending[i]))
			sigaddset(&handled, ending[i]);
	/* Asking whether each is ignored would take a tenth of the start-up
	 * time, so take() sorts those out. */
	for (size_t i = 0; i < ARRAY_LENGTH(passing); i++)
		sigaddset(&handled, passing[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(&handled, signal);
	take_child_signal(&handled);
	/* A stop lengthens a wait with a relative timeout; CONT ends it. */
	sigaddset(&handled, SIGCONT);
	sigprocmask(SIG_BLOCK, NULL, &entry_mask);
	derive_masks();
	sigprocmask(SIG_SETMASK, &life_mask, NULL);
	met = with_parent && !parent_watch();
	descriptor = fd_out_of_the_way(
	    signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
	return descriptor >= 0;
}

bool
signals_wakes(int signal)
{
	return signal == wake_signal;
}

bool
signals_ends(int told)
{
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		if (ending[i] == told)
			return !signals_wakes(told);
	return told == TOLD_PARENT_ENDED;
}

/*
 * The signals that the kernel sends to a whole foreground group: for keys, the
 * end of the session, a new window size. An alarm also comes from the kernel,
 * but only to backoff; and so does a hangup where backoff leads the session:
 * the group gets it when the leader ends, which waits for COMMAND.
 */
static bool
is_terminal_signal(int signal)
{
	if (signal == SIGHUP || signal == SIGCONT)
		return getsid(0) != getpid();
	return signal == SIGINT || signal == SIGQUIT || signal == SIGWINCH;
}

/* Makes the descriptor report only the signals in ends_us, or all again. */
static void
narrow(bool narrower)
{
	if (narrowed != narrower)
		signalfd(descriptor, narrower ? &ends_us : &handled, 0);
	narrowed = narrower;
}

/*
 * Signals that were ignored at the start, and the one that a thread of the
 * parent has sent by ending.
 */
static bool
tells_nothing(int signal)
{
	if (signal == parent_signal())
		return !parent_has_ended();
	return signal != SIGCHLD && is_ignored(signal);
}

/* Takes a signal, but passes over those that tell nothing. */
static bool
take(struct arrival *arrival)
{
	struct signalfd_siginfo info;

	narrow(false);
	do
		if (read(descriptor, &info, sizeof info) != sizeof info)
			return false;
	while (tells_nothing((int)info.ssi_signo));
	*arrival
	    = (struct arrival) { .signal = SIGTERM, .told = TOLD_PARENT_ENDED };
	if ((int)info.ssi_signo == parent_signal())
		return true;
	arrival->signal = (int)info.ssi_signo;
	arrival->told = signals_ends(arrival->signal) ? arrival->signal : 0;
	arrival->sender = (pid_t)info.ssi_pid;
	arrival->from_terminal
	    = info.ssi_code == SI_KERNEL && is_terminal_signal(arrival->signal);
	return true;
}

/* ppoll(2) until UNTIL_NS, or for ever; returns its result. */
static int
wait_until(struct pollfd *watched, int count, int64_t until_ns)
{
	struct timespec left;
	int64_t left_ns;

	if (until_ns == INT64_MAX)
		return ppoll(watched, (nfds_t)count, NULL, NULL);
	left_ns = until_ns - clock_now_ns();
	left = clock_timespec(left_ns > 0 ? left_ns : 0);
	return ppoll(watched, (nfds_t)count, &left, NULL);
}

enum wake
signals_wait(struct arrival *arrival, int64_t until_ns,
    struct pollfd *descriptors, int count)
{
	struct pollfd watched[1 + WAIT_DESCRIPTORS]
	    = { { .fd = descriptor, .events = POLLIN } };

	narrow(false);
	for (;;) {
		int ready, others = 0;

		for (int i = 0; i < count; i++)
			watched[1 + i] = descriptors[i];
		ready = wait_until(watched, 1 + count, until_ns);
		if (ready > 0 && watched[0].revents != 0 && take(arrival))
			return WAKE_SIGNAL;
		if (until_ns < INT64_MAX && clock_now_ns() >= until_ns)
			return WAKE_TIME;
		for (int i = 0; i < count; i++) {
			descriptors[i] = watched[1 + i];
			others += ready > 0 && watched[1 + i].revents != 0;
		}
		if (others > 0)
			return WAKE_DESCRIPTOR;
	}
}

enum wake
signals_await_room(int fd, int64_t until_ns)
{
	struct pollfd watched[] = { { .fd = fd, .events = POLLOUT },
		{ .fd = descriptor, .events = POLLIN } };

	/* All other signals stay for the attempt or the pause. */
	narrow(true);
	do
		if (until_ns < INT64_MAX && clock_now_ns() >= until_ns)
			return WAKE_TIME;
	while (wait_until(watched, ARRAY_LENGTH(watched), until_ns) <= 0
	    || (watched[0].revents == 0 && parent_false_alarm()));
	if (watched[0].revents != 0)
		return WAKE_DESCRIPTOR;
	met = true;
	return WAKE_SIGNAL;
}

int
signals_met(void)
{
	return met ? signals_drain() : 0;
}

int
signals_drain(void)
{
	struct arrival arrival;
	int found = 0;

	met = false;
	while (take(&arrival))
		if (found == 0)
			found = arrival.told;
	return found;
}

bool
signals_end_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&ends_us, signal) == 1
		    && sigismember(&pending, signal) == 1
		    && !tells_nothing(signal))
			return true;
	return false;
}

void
signals_restore(void)
{
	parent_restore_signal();
	if (entry_child_action.sa_handler != SIG_DFL
	    || entry_child_action.sa_flags != 0)
		sigaction(SIGCHLD, &entry_child_action, NULL);
	sigprocmask(SIG_SETMASK, &entry_mask, NULL);
}

/* Sets the disposition of each signal that a pause waits for. */
static void
dispose(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < pausing_count; i++)
		sigaction(pausing[i], &action, NULL);
}

const sigset_t *
signals_arm(void (*handler)(int))
{
	dispose(handler);
	return &pause_mask;
}

void
signals_close(void)
{
	sigprocmask(SIG_SETMASK, &life_mask, NULL);
	dispose(SIG_DFL);
}

void
signals_before_write(void)
{
	sigprocmask(SIG_SETMASK, &write_mask, NULL);
}

void
signals_after_write(bool failed)
{
	static const int raised[] = { SIGPIPE, SIGXFSZ };
	static const struct timespec now;
	sigset_t set;

	/* A signal raised by a failed write must not act later. */
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LENGTH(raised); i++)
		if (sigismember(&entry_mask, raised[i]) == 0)
			sigaddset(&set, raised[i]);
	while (failed && sigtimedwait(&set, NULL, &now) > 0)
		continue;
	sigprocmask(SIG_SETMASK, &life_mask, NULL);
}

bool
signals_pipe_is_deadly(void)
{
	struct sigaction action;

	return sigaction(SIGPIPE, NULL, &action) == 0
	    && action.sa_handler != SIG_IGN
	    && sigismember(&entry_mask, SIGPIPE) == 0;
}

void
signals_die(int signal)
{
	sigset_t mask;

	/* COMMAND has dumped its core; one of backoff would be useless. */
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &(struct sigaction) { .sa_handler = SIG_DFL }, NULL);
	kill(getpid(), signal);
	sigemptyset(&mask);
	sigaddset(&mask, signal);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	_exit(128 + signal);
}
