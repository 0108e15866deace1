/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/clock.h"
#include "process/signals.h"
#include "shared/lock_wait.h"

/* What the handlers share with the wait. */
static volatile sig_atomic_t arrived;
static volatile sig_atomic_t expired;
static struct flock request;

/*
 * A signal between the test of ARRIVED and the system call would be lost. It
 * is not, because it makes the request itself one that does not wait: to
 * free a byte that we do not have.
 */
static void
give_up_request(void)
{
	*(volatile short *)&request.l_type = F_UNLCK;
}

static void
handle(int signal)
{
	if (signal == SIGCONT)
		return;
	if (arrived == 0 || signals_ends(signal))
		arrived = signal;
	give_up_request();
}

static void
handle_time(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	/* Another process may send this signal too. */
	if (info->si_code != SI_TIMER)
		return;
	expired = 1;
	give_up_request();
}

static struct flock
request_for(int type, int64_t byte)
{
	return (struct flock) {
		.l_type = (short)type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)byte,
		.l_len = 1,
	};
}

/*
 * The raw call: a libc might hand the kernel a copy, which a handler cannot
 * reach. With 64-bit offsets struct flock is what the kernel reads.
 */
static int
call(int fd, int command, struct flock *flock)
{
#ifdef SYS_fcntl64
	return (int)syscall(SYS_fcntl64, fd, command, flock);
#else
	return (int)syscall(SYS_fcntl, fd, command, flock);
#endif
}

enum lock_result
lock_try(int fd, int64_t byte)
{
	struct flock flock = request_for(F_WRLCK, byte);

	if (call(fd, F_OFD_SETLK, &flock) == 0)
		return LOCK_HAD;
	return errno == EAGAIN || errno == EACCES ? LOCK_BUSY : LOCK_FAILED;
}

void
lock_free(int fd, int64_t byte)
{
	struct flock flock = request_for(F_UNLCK, byte);

	call(fd, F_OFD_SETLK, &flock);
}

bool
lock_is_taken(int fd, int64_t byte)
{
	struct flock flock = request_for(F_WRLCK, byte);

	return call(fd, F_OFD_GETLK, &flock) == 0 && flock.l_type != F_UNLCK;
}

/* Starts *TIMER, which ends the wait at UNTIL_NS. */
static bool
start_timer(timer_t *timer, int64_t until_ns)
{
	struct itimerspec when = { .it_value = clock_timespec(until_ns) };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = signals_timer(),
	};
	int error;

	if (timer_create(CLOCK_MONOTONIC, &event, timer) != 0)
		return false;
	/* All zero would disarm it. */
	when.it_value.tv_nsec |= 1;
	if (timer_settime(*timer, TIMER_ABSTIME, &when, NULL) == 0)
		return true;
	error = errno;
	timer_delete(*timer);
	errno = error;
	return false;
}

/* Ends it, and what it may have sent too late. */
static void
stop_timer(timer_t timer)
{
	static const struct timespec now;
	sigset_t set;

	timer_delete(timer);
	sigemptyset(&set);
	sigaddset(&set, signals_timer());
	while (sigtimedwait(&set, NULL, &now) > 0)
		continue;
}

/* Until the lock is there, a signal, or an error other than a stop's. */
static enum lock_result
wait_for_lock(int fd)
{
	while (arrived == 0 && expired == 0) {
		if (call(fd, F_OFD_SETLKW, &request) == 0)
			return LOCK_HAD;
		if (errno != EINTR)
			return LOCK_FAILED;
	}
	return LOCK_BUSY;
}

/* The wait itself, with the signals open, those of the timer among them. */
static enum lock_result
wait_openly(int fd)
{
	struct sigaction action
	    = { .sa_sigaction = handle_time, .sa_flags = SA_SIGINFO };
	struct sigaction before;
	sigset_t mask = *signals_arm(handle);
	enum lock_result result;
	int error;

	sigfillset(&action.sa_mask);
	sigaction(signals_timer(), &action, &before);
	sigdelset(&mask, signals_timer());
	sigprocmask(SIG_SETMASK, &mask, NULL);
	result = wait_for_lock(fd);
	error = errno;
	signals_close();
	sigaction(signals_timer(), &before, NULL);
	errno = error;
	return result;
}

enum lock_result
lock_wait(int fd, int64_t byte, int64_t until_ns, int *signal)
{
	enum lock_result result;
	timer_t timer;
	int error;

	arrived = expired = 0;
	*signal = 0;
	request = request_for(F_WRLCK, byte);
	if (until_ns < INT64_MAX && !start_timer(&timer, until_ns))
		return LOCK_FAILED;
	result = wait_openly(fd);
	error = errno;
	if (until_ns < INT64_MAX)
		stop_timer(timer);
	errno = error;
	if (arrived == 0 && expired == 0)
		return result;
	/* It may have come just after the lock had. */
	lock_free(fd, byte);
	*signal = arrived;
	return arrived != 0 ? LOCK_SIGNAL : LOCK_TIME;
}
