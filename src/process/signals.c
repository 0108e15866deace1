/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"
#include "system/system.h"

#define MOST_DRAINED 4096 /* signals, at once */

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* Never handled (rule 12): those of errors and limits, and what stops a job. */
static const int left_alone[]
    = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGPIPE, SIGSEGV, SIGSTOP,
	      SIGSYS, SIGTRAP, SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ,
#ifdef SIGEMT
	      SIGEMT
#endif
      };

static sigset_t entry_mask;
static sigset_t life_mask; /* normally */
/* The signals that end or interrupt a pause, but for those ignored at the
 * start: end signals, that of --wake-on, CONT. */
static sigset_t pausing;
static sigset_t pause_mask; /* life_mask without these */
static sigset_t raised; /* by a failed write */
static sigset_t stopping; /* a job, from its terminal */
static sigset_t handled; /* the signals of the queue */
static sigset_t ends_us; /* the end signals among them */
static struct sigaction entry_child_action;
static int wake_signal;
static bool narrowed; /* the queue reports only end signals */
static bool met; /* signals_await_room() has met one */

/* Whether SIGNAL is ignored; 0, which is no signal, counts as such. */
static bool
is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) != 0
	    || action.sa_handler == SIG_IGN;
}

/* Whether one of SET is pending. */
static bool
has_pending(const sigset_t *set)
{
	sigset_t pending;

	signal_queue_pending(&pending);
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(set, signal) == 1
		    && sigismember(&pending, signal) == 1)
			return true;
	return false;
}

bool
signals_start(int wake_on)
{
	wake_signal = wake_on;
	/* What is ignored of these, take() sorts out: asking whether each is
	 * would take a tenth of the start-up time. */
	sigfillset(&handled);
	for (size_t i = 0; i < ARRAY_LENGTH(left_alone); i++)
		sigdelset(&handled, left_alone[i]);
	/* Rule 13: a signal ignored at the start stays ignored. */
	for (size_t i = 0; i < ARRAY_LENGTH(ending); i++)
		if (is_ignored(ending[i])) {
			sigdelset(&handled, ending[i]);
		} else {
			sigaddset(&pausing, ending[i]);
			if (ending[i] != wake_on)
				sigaddset(&ends_us, ending[i]);
		}
	/* An ignored SIGCHLD, or SA_NOCLDWAIT, would lose the exit status. */
	sigaction(SIGCHLD, &(struct sigaction) { .sa_handler = SIG_DFL },
	    &entry_child_action);
	if (!is_ignored(wake_on))
		sigaddset(&pausing, wake_on);
	/* A stop would make any other pause longer, if nothing ended it. */
	if (!PAUSE_BY_NANOSLEEP && !is_ignored(SIGCONT))
		sigaddset(&pausing, SIGCONT);
	sigaddset(&raised, SIGPIPE);
	sigaddset(&raised, SIGXFSZ);
	sigaddset(&stopping, SIGTSTP);
	sigaddset(&stopping, SIGTTIN);
	sigaddset(&stopping, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, NULL, &entry_mask);
	life_mask = pause_mask = entry_mask;
	for (int signal = 1; signal < NSIG; signal++) {
		if (sigismember(&handled, signal) == 1) {
			sigaddset(&life_mask, signal);
			sigaddset(&pause_mask, signal);
		}
		if (sigismember(&pausing, signal) == 1)
			sigdelset(&pause_mask, signal);
	}
	pthread_sigmask(SIG_SETMASK, &life_mask, NULL);
	return signal_queue_open(&handled);
}

bool
signals_wakes(int signal)
{
	return signal == wake_signal;
}

bool
signals_ends(int signal)
{
	return sigismember(&ends_us, signal) == 1;
}

/*
 * The kernel sends some to a whole foreground group: for keys, and a new size.
 * An alarm also comes from the kernel, but only to backoff; and so does a
 * hangup where backoff leads the session: the group gets it when the leader
 * ends, which waits for COMMAND.
 */
bool
signals_by_terminal(const struct queued_signal *arrival)
{
	if (arrival->is_by_process)
		return false;
	switch (arrival->signal) {
	case SIGHUP:
	case SIGCONT:
		return getsid(0) != getpid();
	case SIGINT:
	case SIGQUIT:
	case SIGWINCH:
#ifdef SIGINFO
	case SIGINFO:
#endif
		return true;
	default:
		return false;
	}
}

/* Makes the queue report only end signals, or all again. */
static void
narrow(bool narrower)
{
	if (narrowed != narrower)
		signal_queue_narrow(narrower ? &ends_us : &handled);
	narrowed = narrower;
}

/* Takes a signal, but passes over those that were ignored at the start. */
static bool
take(struct queued_signal *arrival)
{
	narrow(false);
	do
		if (!signal_queue_take(arrival))
			return false;
	while (arrival->signal != SIGCHLD && is_ignored(arrival->signal));
	return true;
}

/* signal_queue_poll() until UNTIL_NS, or for ever. */
static int
poll_until(struct pollfd *watched, int count, int64_t until_ns)
{
	return signal_queue_poll(watched, count,
	    until_ns == INT64_MAX ? until_ns : until_ns - clock_now_ns());
}

enum wake
signals_wait(struct queued_signal *arrival, int64_t until_ns,
    struct pollfd *watched, int count)
{
	narrow(false);
	for (;;) {
		int ready = poll_until(watched, count, until_ns);
		bool has_signals = watched[0].revents != 0;

		if (has_signals && take(arrival))
			return WAKE_SIGNAL;
		if (clock_now_ns() >= until_ns)
			return WAKE_TIME;
		if (ready > (has_signals ? 1 : 0))
			return WAKE_DESCRIPTOR;
	}
}

int
signals_sleep(int64_t until_ns)
{
	return pause_until(until_ns, &pause_mask, &pausing, &ends_us);
}

enum wake
signals_await_room(int fd, int64_t until_ns)
{
	struct pollfd watched[]
	    = { { .fd = -1 }, { .fd = fd, .events = POLLOUT } };

	/* All other signals stay for the attempt or the pause. */
	narrow(true);
	do
		if (clock_now_ns() >= until_ns)
			return WAKE_TIME;
	while (poll_until(watched, ARRAY_LENGTH(watched), until_ns) <= 0);
	if (watched[0].revents == 0)
		return WAKE_DESCRIPTOR;
	met = true;
	return WAKE_SIGNAL;
}

/* An ALRM that is no tick of ours came in signals_write(). */
static volatile sig_atomic_t other_alarm;

static void
tick(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code == SI_USER || info->si_pid != 0)
		other_alarm = 1;
}

/*
 * Goes on with the timer of an alarm(2) that was called before backoff was
 * started, TOOK_NS later. It may be over meanwhile.
 */
static void
go_on_with(struct itimerval *timer, int64_t took_ns)
{
	int64_t left_ns = timer->it_value.tv_sec * NS_PER_S
	    + timer->it_value.tv_usec * 1000;

	if (left_ns == 0)
		return;
	left_ns = max_ns(left_ns - took_ns, 1000);
	timer->it_value.tv_sec = (time_t)(left_ns / NS_PER_S);
	timer->it_value.tv_usec = (suseconds_t)(left_ns % NS_PER_S / 1000);
	setitimer(ITIMER_REAL, timer, NULL);
}

/* The ticks repeat, as one may come just before the call. */
ssize_t
signals_write(int fd, const char *bytes, size_t count)
{
	static const struct timeval moment = { .tv_usec = 20000 };
	const struct itimerval ticks = { moment, moment };
	const struct itimerval none = { .it_value = { 0 } };
	const struct sigaction action
	    = { .sa_sigaction = tick, .sa_flags = SA_SIGINFO };
	int64_t began_ns = clock_now_ns();
	struct itimerval others;
	struct sigaction before;
	sigset_t alarm;
	ssize_t written;
	int error;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	other_alarm = has_pending(&alarm);
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &ticks, &others);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	written = write(fd, bytes, count);
	error = errno == EINTR ? EAGAIN : errno;
	/* No tick is pending after this call. */
	setitimer(ITIMER_REAL, &none, NULL);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	sigaction(SIGALRM, &before, NULL);
	go_on_with(&others, clock_now_ns() - began_ns);
	if (other_alarm)
		kill(getpid(), SIGALRM);
	errno = error;
	return written;
}

int
signals_met(void)
{
	return met ? signals_drain() : 0;
}

int
signals_drain(void)
{
	struct queued_signal arrival;
	int found = 0;

	met = false;
	/* Of a storm of them, those that end backoff come first. */
	for (int i = 0; i < MOST_DRAINED && take(&arrival); i++)
		if (found == 0 && signals_ends(arrival.signal))
			found = arrival.signal;
	return found;
}

bool
signals_end_pending(void)
{
	return has_pending(&ends_us);
}

bool
signals_restore(void)
{
	if (has_pending(&stopping)) {
		errno = EINTR;
		return false;
	}
	signal_queue_leave();
	if (entry_child_action.sa_handler != SIG_DFL
	    || entry_child_action.sa_flags != 0)
		sigaction(SIGCHLD, &entry_child_action, NULL);
	pthread_sigmask(SIG_SETMASK, &entry_mask, NULL);
	return true;
}

void
signals_before_write(void)
{
	pthread_sigmask(SIG_BLOCK, &raised, NULL);
}

void
signals_after_write(bool failed)
{
	/* A signal raised by a failed write must not act later. */
	if (failed)
		signal_queue_drop(&raised);
	pthread_sigmask(SIG_SETMASK, &life_mask, NULL);
}

bool
signals_pipe_is_deadly(void)
{
	return !is_ignored(SIGPIPE) && sigismember(&entry_mask, SIGPIPE) == 0;
}

bool
is_in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	/* 0: a group that has its leader in another PID namespace. */
	return group > 0 && group == getpgrp();
}

void
signals_die(int signal)
{
	sigset_t mask;

	/* COMMAND has dumped its core; one of backoff would be useless. */
	process_dumps_no_core();
	sigaction(signal, &(struct sigaction) { .sa_handler = SIG_DFL }, NULL);
	kill(getpid(), signal);
	sigemptyset(&mask);
	sigaddset(&mask, signal);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	_exit(128 + signal);
}
