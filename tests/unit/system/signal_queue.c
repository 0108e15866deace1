/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>

#include "system/system.h"
#include "unit/tap.h"

/* A sandbox refuses the call, and writes nothing. */
int
sigpending(sigset_t *set)
{
	(void)set;
	errno = ENOSYS;
	return -1;
}

TEST(pending)
{
	sigset_t pending;

	sigfillset(&pending);
	signal_queue_pending(&pending);
	is_int(sigismember(&pending, SIGTERM), 0,
	    "what is refused tells of no signal that has come");
}

/* Where the queue's own set will be there are ones. */
static void
soil_stack(void)
{
	volatile unsigned char bytes[4096];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = 0xff;
}

TEST(drop)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	soil_stack();
	signal_queue_drop(&signals);
	ok(true, "nor is one waited for that has not come");
}
