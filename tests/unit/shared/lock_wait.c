/* SPDX-License-Identifier: MIT */
/*
 * The wait for a lock: what ends it. That no signal is lost just before the
 * wait begins is for gate.bats, by tests/lib/stepper.py.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/signals.h"
#include "shared/lock_wait.h"
#include "system/alarm.h"
#include "system/clock.h"
#include "unit/tap.h"

#define LONG_NS (60 * NS_PER_S) /* that a lost signal costs */

static char path[] = "/tmp/lock_wait.XXXXXX";

#ifdef HAVE_DECL_F_OFD_SETLKW
/* The system's call is a part of this program, with ours around it. */
#define byte_lock byte_lock_of_the_system
#include "system/linux/byte_lock.c"
#undef byte_lock

static bool is_told_after_lock; /* TERM comes when a wait has had its lock */

int byte_lock(int fd, enum byte_lock_call call, struct flock *flock);

int
byte_lock(int fd, enum byte_lock_call call, struct flock *flock)
{
	int status = byte_lock_of_the_system(fd, call, flock);

	if (status == 0 && call == BYTE_LOCK_WAIT && is_told_after_lock)
		raise(SIGTERM);
	return status;
}
#endif

static int
open_again(void)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

static enum lock_result
wait_until(int fd, int64_t byte, int64_t until_ns)
{
	int signal;

	return lock_wait(fd, byte, until_ns, &signal);
}

static void
test_had(void)
{
	int a = open_again(), b = open_again();

	ok(wait_until(a, 0, INT64_MAX) == LOCK_HAD, "a free lock is had");
	ok(lock_try(b, 0) == LOCK_BUSY, "nobody else has it then");
	ok(lock_is_taken(b, 0), "others see that it is taken");
	ok(!lock_is_taken(a, 0), "its own lock is no hindrance");
	ok(lock_try(b, 1) == LOCK_HAD, "another byte is another lock");
	lock_free(a, 0);
	ok(lock_try(b, 0) == LOCK_HAD, "once freed, others have it");
	close(b);
	ok(lock_try(a, 0) == LOCK_HAD, "who closes the file frees it");
	close(a);
	ok(lock_try(a, 0) == LOCK_FAILED && errno == EBADF,
	    "a descriptor that is none is an error");
	ok(wait_until(a, 0, INT64_MAX) == LOCK_FAILED && errno == EBADF,
	    "for a wait too");
}

static void
ring(void)
{
}

/*
 * The signal of the alarm that ends a wait, if no wait is about it; 0: there is
 * none, as qemu-user keeps the two highest to itself.
 */
static int
alarm_signal(void)
{
	sigset_t mask;
	int signal = NSIG - 1;

	sigfillset(&mask);
	if (!alarm_start(clock_now_ns() + LONG_NS, &mask, ring))
		return 0;
	alarm_stop();
	while (signal > 0 && sigismember(&mask, signal) != 0)
		signal--;
	return signal;
}

static void
test_time(void)
{
	int a = open_again(), b = open_again();
	int64_t until_ns;
	sigset_t pending;

	lock_try(a, 0);
	ok(wait_until(b, 0, 0) == LOCK_TIME, "a time long past ends the wait");
	until_ns = clock_now_ns() + 20 * NS_PER_MS;
	ok(wait_until(b, 0, until_ns) == LOCK_TIME, "a time to come does");
	ok(clock_now_ns() >= until_ns, "not before it has come");
	lock_free(a, 0);
	ok(wait_until(b, 0, INT64_MAX) == LOCK_HAD,
	    "a wait that was given up leaves nothing behind");
	ok(wait_until(a, 1, clock_now_ns() + LONG_NS) == LOCK_HAD,
	    "what is free is had before its time");
	sigpending(&pending);
	ok(sigismember(&pending, alarm_signal()) == 0,
	    "no signal of the timer stays pending");
	close(a);
	close(b);
}

/* The timer's signal from elsewhere does not end a wait. */
static void
test_foreign_timer_signal(void)
{
	int a = open_again(), b = open_again();
	int64_t until_ns = clock_now_ns() + 20 * NS_PER_MS;

	lock_try(a, 0);
	kill(getpid(), alarm_signal());
	ok(wait_until(b, 0, until_ns) == LOCK_TIME
	        && clock_now_ns() >= until_ns,
	    "who else sends the timer's signal ends no wait");
	close(a);
	close(b);
}

static void
test_pending(void)
{
	static const int numbers[]
	    = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 };
	int a = open_again(), b = open_again();
	int signal = 0;

	lock_try(a, 0);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		kill(getpid(), numbers[i]);
		ok(lock_wait(b, 0, INT64_MAX, &signal) == LOCK_SIGNAL
		        && signal == numbers[i],
		    "a pending signal ends the wait");
	}
	kill(getpid(), SIGTERM);
	ok(lock_wait(b, 1, INT64_MAX, &signal) == LOCK_SIGNAL
	        && signal == SIGTERM,
	    "even if the lock is free");
	close(a);
	close(b);
}

static void
test_signal_after_lock(void)
{
#ifdef HAVE_DECL_F_OFD_SETLKW
	int a = open_again(), b = open_again();
	int signal = 0;

	is_told_after_lock = true;
	ok(lock_wait(a, 0, INT64_MAX, &signal) == LOCK_SIGNAL
	        && signal == SIGTERM,
	    "a signal that comes just after the lock ends the wait");
	is_told_after_lock = false;
	ok(lock_try(b, 0) == LOCK_HAD, "the lock is not kept then");
	close(a);
	close(b);
#else
	skip("a signal just after the lock", "not Linux");
#endif
}

static void
test_timed(void)
{
	if (alarm_signal() == 0) {
		skip("a time ends the wait", "no timer has such a signal");
		return;
	}
	test_time();
	test_foreign_timer_signal();
}

/* configure has found that there are no such locks. */
static bool
is_not_here(void)
{
	const char *names = getenv("NOT_HERE");

	return names != NULL && strstr(names, "byte_lock") != NULL;
}

/* On a system without locks of open file descriptions. */
static void
test_missing(void)
{
	int fd = open_again();

	ok(lock_try(fd, 0) == LOCK_FAILED && errno == ENOLCK,
	    "there are no locks, and that is said");
	ok(wait_until(fd, 0, INT64_MAX) == LOCK_FAILED && errno == ENOLCK,
	    "nor is there a wait");
	ok(!lock_is_taken(fd, 0), "nothing is taken");
	close(fd);
}

TESTS
{
	static const int end_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	int fd;

	/* Under nohup(1) or in the background of a script they are ignored. */
	for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
		signal(end_signals[i], SIG_DFL);
	fd = mkstemp(path);
	if (fd < 0 || !signals_start(SIGUSR1, false))
		exit(1);
	if (!is_not_here()) {
		test_had();
		test_pending();
		test_signal_after_lock();
		test_timed();
	} else {
		test_missing();
	}
	close(fd);
	unlink(path);
}
