/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/clock.h"
#include "process/parent.h"
#include "process/signals.h"
#include "process/told.h"
#include "shared/lock_wait.h"

/* What the handlers share with the wait. */
static volatile sig_atomic_t expired;
static struct flock request;

/*
 * A signal between the test for one and the system call would be lost. It
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
	told_by(signal);
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

#if HAVE_DECL_F_OFD_SETLKW

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

#else

/* Locks of a process would be lost with the first descriptor it closes. */
#undef F_OFD_GETLK
#undef F_OFD_SETLK
#undef F_OFD_SETLKW
enum {
	F_OFD_GETLK,
	F_OFD_SETLK,
	F_OFD_SETLKW,
};

static int
call(int fd, int command, const struct flock *flock)
{
	(void)fd;
	(void)command;
	(void)flock;
	errno = ENOLCK;
	return -1;
}

#endif

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
lock_is_possible(int fd)
{
	struct flock flock = request_for(F_WRLCK, 0);

	return call(fd, F_OFD_GETLK, &flock) == 0;
}

int64_t
lock_find(int fd, int64_t first, int64_t last)
{
	struct flock flock = request_for(F_WRLCK, first);

	if (last < first)
		return -1;
	flock.l_len = (off_t)(last - first + 1);
	if (call(fd, F_OFD_GETLK, &flock) != 0 || flock.l_type == F_UNLCK)
		return -1;
	return flock.l_start;
}

bool
lock_is_taken(int fd, int64_t byte)
{
	return lock_find(fd, byte, byte) >= 0;
}

int
lock_timer_signal(void)
{
	int signal = SIGRTMAX - 1;

	while (signals_wakes(signal) || signal == parent_signal())
		signal--;
	return signal;
}

/* Starts *TIMER, which ends the wait at UNTIL_NS. */
static bool
start_timer(timer_t *timer, int64_t until_ns)
{
	struct itimerspec when = { .it_value = clock_timespec(until_ns) };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = lock_timer_signal(),
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
	sigaddset(&set, lock_timer_signal());
	while (sigtimedwait(&set, NULL, &now) > 0)
		continue;
}

/* Until the lock is there, a signal, or an error other than a stop's. */
static enum lock_result
wait_for_lock(int fd)
{
	while (!told_anything() && expired == 0) {
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
	sigaction(lock_timer_signal(), &action, &before);
	sigdelset(&mask, lock_timer_signal());
	sigprocmask(SIG_SETMASK, &mask, NULL);
	result = wait_for_lock(fd);
	error = errno;
	signals_close();
	sigaction(lock_timer_signal(), &before, NULL);
	errno = error;
	return result;
}

/*
 * The same, again after an alarm about the parent that was false: only a
 * thread of it had ended. The request that the handler has changed may have
 * freed nothing or not have had the lock, so it is made again.
 */
static enum lock_result
wait_on(int fd, int64_t byte)
{
	enum lock_result result;

	for (;;) {
		request = request_for(F_WRLCK, byte);
		result = wait_openly(fd);
		if (!told_false_alarm() || expired != 0)
			return result;
		lock_free(fd, byte);
	}
}

enum lock_result
lock_wait(int fd, int64_t byte, int64_t until_ns, int *told)
{
	enum lock_result result;
	timer_t timer;
	int error;

	told_reset();
	expired = 0;
	*told = 0;
	if (until_ns < INT64_MAX && !start_timer(&timer, until_ns))
		return LOCK_FAILED;
	result = wait_on(fd, byte);
	error = errno;
	if (until_ns < INT64_MAX)
		stop_timer(timer);
	errno = error;
	if (told_what() == 0 && expired == 0)
		return result;
	/* It may have come just after the lock had. */
	lock_free(fd, byte);
	*told = told_what();
	return *told != 0 ? LOCK_SIGNAL : LOCK_TIME;
}
