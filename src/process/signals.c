/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/array.h"
#include "process/clock.h"
#include "process/fd.h"
#include "process/signals.h"

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* Passed on to a running attempt; SIGRTMIN to SIGRTMAX belong here too. */
static const int passing[] = {
	SIGUSR1,
	SIGUSR2,
	SIGALRM,
	SIGVTALRM,
	SIGPROF,
	SIGIO,
	SIGWINCH,
#ifdef SIGPWR
	SIGPWR,
#endif
#ifdef SIGSTKFLT
	SIGSTKFLT,
#endif
};

static sigset_t entry_mask;
static sigset_t life_mask; /* while we work */
static sigset_t pause_mask; /* life_mask less PAUSING */
static sigset_t write_mask;
static struct sigaction entry_child_action;
static int wake_signal;
static int descriptor;

/* What ends or wakes a pause, as far as it was not ignored. */
static int pausing[ARRAY_LENGTH(ending) + 2];
static size_t pausing_count;

static bool
is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) != 0
	    || action.sa_handler == SIG_IGN;
}

/* Rule 13: what was ignored when we started stays so. */
static void
add_unless_ignored(sigset_t *set, int signal)
{
	if (!is_ignored(signal))
		sigaddset(set, signal);
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

/* The masks that follow from the set of signals that we deal with. */
static void
derive_masks(const sigset_t *handled)
{
	/* For PID 1 the kernel drops what it has no handler for. */
	bool init = getpid() == 1;

	life_mask = entry_mask;
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(handled, signal) == 1)
			sigaddset(&life_mask, signal);
	write_mask = life_mask;
	sigaddset(&write_mask, SIGPIPE);
	sigaddset(&write_mask, SIGXFSZ);
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++) {
		if (sigismember(handled, ending[i]) == 0)
			continue;
		pausing[pausing_count++] = ending[i];
		if (!init && sigismember(&entry_mask, ending[i]) == 0)
			sigdelset(&write_mask, ending[i]);
	}
	if (wake_signal != 0 && sigismember(handled, wake_signal) == 1)
		pausing[pausing_count++] = wake_signal;
#ifndef PAUSE_BY_NANOSLEEP
	if (!is_ignored(SIGCONT))
		pausing[pausing_count++] = SIGCONT;
#endif
	pause_mask = life_mask;
	for (size_t i = 0; i < pausing_count; i++)
		sigdelset(&pause_mask, pausing[i]);
}

bool
signals_start(int wake_on)
{
	sigset_t handled;

	wake_signal = wake_on;
	sigemptyset(&handled);
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		add_unless_ignored(&handled, ending[i]);
	/* To ask for each of these would be a tenth of our start: see take().
	 */
	for (size_t i = 0; i < ARRAY_LENGTH(passing); i++)
		sigaddset(&handled, passing[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(&handled, signal);
	if (wake_on != 0)
		add_unless_ignored(&handled, wake_on);
	take_child_signal(&handled);
	/* A stop stretches our wait, unless what ends the stop wakes us. */
	sigaddset(&handled, SIGCONT);

	sigprocmask(SIG_BLOCK, NULL, &entry_mask);
	derive_masks(&handled);
	sigprocmask(SIG_SETMASK, &life_mask, NULL);
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
signals_ends(int signal)
{
	if (signals_wakes(signal))
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		if (ending[i] == signal)
			return true;
	return false;
}

/*
 * What the kernel sends to a whole foreground group: keys, the end of the
 * session, a new window size. An alarm of ours is the kernel's too, but
 * reaches us alone.
 */
static bool
is_terminal_signal(int signal)
{
	return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP
	    || signal == SIGWINCH || signal == SIGCONT;
}

/* What was ignored when we started is taken too, but tells nothing. */
static bool
take(struct arrival *arrival)
{
	struct signalfd_siginfo info;

	do
		if (read(descriptor, &info, sizeof info) != sizeof info)
			return false;
	while (info.ssi_signo != SIGCHLD && is_ignored((int)info.ssi_signo));
	arrival->signal = (int)info.ssi_signo;
	arrival->sender = (pid_t)info.ssi_pid;
	arrival->from_terminal
	    = info.ssi_code == SI_KERNEL && is_terminal_signal(arrival->signal);
	return true;
}

enum wake
signals_wait(struct arrival *arrival, int64_t until_ns,
    struct pollfd *descriptors, int count)
{
	struct pollfd watched[1 + WAIT_DESCRIPTORS]
	    = { { .fd = descriptor, .events = POLLIN } };

	for (;;) {
		struct timespec left;
		int ready, others = 0;
		bool for_ever = until_ns == INT64_MAX;
		int64_t left_ns = for_ever ? 0 : until_ns - clock_now_ns();

		left = clock_timespec(left_ns > 0 ? left_ns : 0);
		for (int i = 0; i < count; i++)
			watched[1 + i] = descriptors[i];
		ready = ppoll(
		    watched, 1 + (nfds_t)count, for_ever ? NULL : &left, NULL);
		if (ready > 0 && watched[0].revents != 0 && take(arrival))
			return WAKE_SIGNAL;
		if (!for_ever && clock_now_ns() >= until_ns)
			return WAKE_TIME;
		for (int i = 0; i < count; i++) {
			descriptors[i] = watched[1 + i];
			others += ready > 0 && watched[1 + i].revents != 0;
		}
		if (others > 0)
			return WAKE_DESCRIPTOR;
	}
}

int
signals_drain(void)
{
	struct arrival arrival;
	int found = 0;

	while (take(&arrival))
		if (found == 0 && signals_ends(arrival.signal))
			found = arrival.signal;
	return found;
}

bool
signals_end_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		if (signals_ends(ending[i])
		    && sigismember(&pending, ending[i]) == 1
		    && !is_ignored(ending[i]))
			return true;
	return false;
}

void
signals_restore(void)
{
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
signals_open(void (*handler)(int))
{
	sigprocmask(SIG_SETMASK, signals_arm(handler), NULL);
}

void
signals_close(void)
{
	sigprocmask(SIG_SETMASK, &life_mask, NULL);
	dispose(SIG_DFL);
}

/* The signal of a write that failed must not meet us later. */
static void
take_write_signal(int signal)
{
	static const struct timespec now;
	sigset_t set;

	if (sigismember(&entry_mask, signal) == 1)
		return;
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigtimedwait(&set, NULL, &now);
}

void
signals_without_pipe(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void
signals_with_pipe(void)
{
	signals_after_write(true);
}

void
signals_before_write(void)
{
	sigprocmask(SIG_SETMASK, &write_mask, NULL);
}

void
signals_after_write(bool failed)
{
	if (failed) {
		take_write_signal(SIGPIPE);
		take_write_signal(SIGXFSZ);
	}
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

	/* COMMAND has left its core; ours would tell nothing. */
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(signal, &(struct sigaction) { .sa_handler = SIG_DFL }, NULL);
	kill(getpid(), signal);
	sigemptyset(&mask);
	sigaddset(&mask, signal);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	_exit(128 + signal);
}
