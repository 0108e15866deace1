/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "system/alarm.h"
#include "system/clock.h"

/*
 * Passed on to a running attempt, and what no wait is about. Who else sends it
 * meanwhile sends it in vain, as to any pause. SIGALRM is not only ours.
 */
#define ALARM SIGURG

static void (*call)(void);
static struct sigaction before;
static pthread_t thread, waiter;
static int64_t due_ns;
static atomic_bool is_due;

static void
handle(int signal)
{
	(void)signal;
	if (atomic_load(&is_due))
		call();
}

static void *
wait_for_time(void *nothing)
{
	struct timespec left;
	int64_t left_ns;

	while ((left_ns = due_ns - clock_now_ns()) > 0) {
		left = clock_timespec(left_ns);
		nanosleep(&left, NULL);
	}
	atomic_store(&is_due, true);
	pthread_kill(waiter, ALARM);
	return nothing;
}

/* There are no timers, so a thread is one, without signals of its own. */
bool
alarm_start(int64_t until_ns, sigset_t *mask, void (*ring)(void))
{
	struct sigaction action = { .sa_handler = handle };
	sigset_t all, blocked;
	int error;

	call = ring;
	waiter = pthread_self();
	due_ns = until_ns;
	atomic_store(&is_due, false);
	sigfillset(&action.sa_mask);
	sigaction(ALARM, &action, &before);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &blocked);
	error = pthread_create(&thread, NULL, wait_for_time, NULL);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	if (error == 0) {
		sigdelset(mask, ALARM);
		return true;
	}
	sigaction(ALARM, &before, NULL);
	errno = error;
	return false;
}

/* What it has sent too late was delivered when it was joined. */
void
alarm_stop(void)
{
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	sigaction(ALARM, &before, NULL);
}
