/* SPDX-License-Identifier: MIT */
/*
 * The wait for a lock: what ends it. Called with FILE, it waits for byte 0 of
 * that, without end, and dies by the signal that ends the wait: see
 * tests/lib/stepper.py.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/signals.h"
#include "shared/lock_wait.h"
#include "system/alarm.h"
#include "system/clock.h"
#include "unit/tap.h"

#define LONG_NS (60 * NS_PER_S) /* that a lost signal costs */

static char path[] = "/tmp/lock_wait.XXXXXX";

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
	ok(lock_try(a, 1) == LOCK_HAD, "which is then not kept");
	close(a);
	close(b);
}

static void
spin(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		continue;
}

/* Waits again and again, and writes a byte before and after each wait. */
static _Noreturn void
be_waiter(int out, int64_t waits)
{
	int fd = open_again();
	int signal;

	for (; waits > 0; waits--) {
		bool good;

		if (write(out, "w", 1) != 1)
			_exit(1);
		good = lock_wait(fd, 0, clock_now_ns() + LONG_NS, &signal)
		    == LOCK_SIGNAL;
		if (write(out, good ? "s" : "!", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void
test_random_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	int64_t waits = 3000, lost = 0;
	int fd = open_again(), pipes[2];
	char byte = 0;
	pid_t pid;

	lock_try(fd, 0);
	if (pipe(pipes) != 0 || (pid = fork()) < 0) {
		ok(false, "no pipe, or no process");
		return;
	}
	if (pid == 0) {
		close(fd);
		be_waiter(pipes[1], waits);
	}
	close(pipes[1]);
	srand(1);
	while (read(pipes[0], &byte, 1) == 1 && byte == 'w') {
		spin((unsigned)rand() % 20000);
		kill(pid, numbers[rand() % 4]);
		if (read(pipes[0], &byte, 1) != 1 || byte != 's')
			lost++;
	}
	is_int(lost, 0, "of 3,000 signals at random instants none is lost");
	waitpid(pid, NULL, 0);
	close(fd);
	close(pipes[0]);
}

/* N processes in turn: each has the lock once its elder has ended. */
static void
test_killed_holder(void)
{
	int fd = open_again(), pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes) != 0 || (pid = fork()) < 0) {
		ok(false, "no pipe, or no process");
		return;
	}
	if (pid == 0) {
		int mine = open_again();

		close(fd);
		if (lock_try(mine, 0) != LOCK_HAD || write(pipes[1], "", 1) < 1)
			_exit(1);
		for (;;)
			pause();
	}
	ok(read(pipes[0], &byte, 1) == 1 && lock_is_taken(fd, 0),
	    "another process has the lock");
	kill(pid, SIGKILL);
	ok(wait_until(fd, 0, INT64_MAX) == LOCK_HAD,
	    "kill -9 of it gives the lock on");
	waitpid(pid, NULL, 0);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
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
	test_random_signals();
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

/* For the stepper: waits for what it holds itself. */
static _Noreturn void
wait_in_vain(const char *file)
{
	int a = open(file, O_RDWR | O_CLOEXEC),
	    b = open(file, O_RDWR | O_CLOEXEC);
	int64_t until_ns = clock_now_ns() + 20 * NS_PER_S;
	int signal = 0;

	if (!signals_start(0, false) || lock_try(a, 0) != LOCK_HAD
	    || write(STDERR_FILENO, "waiting\n", 8) != 8)
		_exit(1);
	/* A signal that is lost costs this long, and the test. */
	lock_wait(b, 0, until_ns, &signal);
	if (signal != 0 && clock_now_ns() < until_ns)
		signals_die(signal);
	_exit(2);
}

int
main(int argc, char **argv)
{
	static const int end_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	int fd;

	if (argc > 1)
		wait_in_vain(argv[1]);
	/* Under nohup(1) or in the background of a script they are ignored. */
	for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
		signal(end_signals[i], SIG_DFL);
	fd = mkstemp(path);
	if (fd < 0 || !signals_start(SIGUSR1, false))
		return 1;
	if (!is_not_here()) {
		test_had();
		test_pending();
		test_killed_holder();
		test_timed();
	} else {
		test_missing();
	}
	close(fd);
	unlink(path);
	return done();
}
