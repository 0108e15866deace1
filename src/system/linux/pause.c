/* SPDX-License-Identifier: MIT */
#include <config.h>

/*
 * glibc's fortified ppoll(2) takes a 32-bit timespec even where time_t has 64
 * bits (2.36, i386): the kernel reads a timeout of 0, and the wait spins.
 */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

#include "system/clock.h"
#include "system/pause.h"

/* Shared by the handler and the pause. */
static struct timespec request;

/*
 * A signal between the test for one and the system call would be lost if the
 * handler only noted it. So it also sets the request to a time long past;
 * libc passes this very struct to the kernel, which returns at once.
 */
void
pause_give_up(void)
{
	*(volatile time_t *)&request.tv_sec = 0;
	*(volatile long *)&request.tv_nsec = 0;
}

/*
 * Where nanosleep will not do. ppoll unblocks the signals and waits in one
 * call, so none is lost. While the process is stopped, a relative timeout does
 * not run out in time: CONT wakes it too, and the time left is computed anew.
 */
static void
poll_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void))
{
	int64_t left_ns;

	while (!is_over() && (left_ns = until_ns - clock_now_ns()) > 0) {
		request = clock_timespec(left_ns);
		ppoll(NULL, 0, &request, mask);
	}
}

#ifdef PAUSE_BY_NANOSLEEP

bool
pause_is_stretched(void)
{
	return false;
}

/* A sandbox may refuse the call: the pause is kept all the same. */
void
pause_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void))
{
	int error = 0;

	request = clock_timespec(until_ns);
	sigprocmask(SIG_SETMASK, mask, NULL);
	while (!is_over()
	    && (error = clock_nanosleep(
	            CLOCK_MONOTONIC, TIMER_ABSTIME, &request, NULL))
	        == EINTR)
		continue;
	if (error != 0 && error != EINTR)
		poll_until(until_ns, mask, is_over);
}

#else

bool
pause_is_stretched(void)
{
	return true;
}

/* A libc that gives the kernel a copy of the request (musl on 32 bits). */
void
pause_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void))
{
	poll_until(until_ns, mask, is_over);
}

#endif
