/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "system/alarm.h"
#include "system/clock.h"

static void (*call)(void);
static int number; /* of its signal */
static timer_t timer;
static struct sigaction before;

static void
handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	/* Another process may send this signal too. */
	if (info->si_code == SI_TIMER)
		call();
}

/* A real-time signal that is blocked by MASK: the wait is not about it. */
static int
choose_signal(const sigset_t *mask)
{
	int signal = SIGRTMAX - 1;

	while (sigismember(mask, signal) == 0)
		signal--;
	return signal;
}

bool
alarm_start(int64_t until_ns, sigset_t *mask, void (*ring)(void))
{
	struct itimerspec when = { .it_value = clock_timespec(until_ns) };
	struct sigaction action
	    = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };
	int error;

	number = event.sigev_signo = choose_signal(mask);
	call = ring;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		return false;
	sigfillset(&action.sa_mask);
	sigaction(number, &action, &before);
	sigdelset(mask, number);
	/* All zero would disarm it. */
	when.it_value.tv_nsec |= 1;
	if (timer_settime(timer, TIMER_ABSTIME, &when, NULL) == 0)
		return true;
	error = errno;
	alarm_stop();
	errno = error;
	return false;
}

/* What it has sent too late was delivered when it was deleted. */
void
alarm_stop(void)
{
	timer_delete(timer);
	sigaction(number, &before, NULL);
}
