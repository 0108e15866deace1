/* SPDX-License-Identifier: MIT */
#include <config.h>

/*
 * glibc's fortified ppoll(2) takes a 32-bit timespec even where time_t has 64
 * bits (2.36, i386): the kernel reads a timeout of 0, and the wait spins.
 */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "process/clock.h"
#include "process/signals.h"
#include "process/sleep.h"
#include "process/told.h"

/* Shared by the handler and the sleep. */
static struct timespec request;

/*
 * A signal between told_anything() and the system call would be lost if the
 * handler only noted it. So it also sets the request to a time long past;
 * libc passes this very struct to the kernel, which returns at once.
 */
static void
handle(int signal)
{
	if (signal == SIGCONT)
		return;
	told_by(signal);
	*(volatile time_t *)&request.tv_sec = 0;
	*(volatile long *)&request.tv_nsec = 0;
}

/*
 * Where nanosleep will not do. ppoll unblocks the signals and waits in one
 * call, so none is lost. While the process is stopped, a relative timeout does
 * not run out in time: CONT wakes it too, and the time left is computed anew.
 */
static void
poll_through(int64_t until_ns)
{
	const sigset_t *mask = signals_arm(handle);
	int64_t left_ns;

	while (!told_anything() && (left_ns = until_ns - clock_now_ns()) > 0) {
		request = clock_timespec(left_ns);
		ppoll(NULL, 0, &request, mask);
	}
	signals_close();
}

#ifdef PAUSE_BY_NANOSLEEP

/* A sandbox may refuse the call: the pause is kept all the same. */
static void
sleep_through(int64_t until_ns)
{
	int error = 0;

	request = clock_timespec(until_ns);
	sigprocmask(SIG_SETMASK, signals_arm(handle), NULL);
	while (!told_anything()
	    && (error = clock_nanosleep(
	            CLOCK_MONOTONIC, TIMER_ABSTIME, &request, NULL))
	        == EINTR)
		continue;
	signals_close();
	if (error != 0 && error != EINTR)
		poll_through(until_ns);
}

#else

/* A libc that gives the kernel a copy of the request (musl on 32 bits). */
static void
sleep_through(int64_t until_ns)
{
	poll_through(until_ns);
}

#endif

int
sleep_until_told(int64_t until_ns)
{
	told_reset();
	do
		sleep_through(until_ns);
	while (told_false_alarm());
	return told_what();
}
