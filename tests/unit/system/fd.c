/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"
#include "system/system.h"
#include "unit/tap.h"

#define MS NS_PER_MS

/*
 * Stops us for much longer than what is waited for can take, and writes only
 * when we go on.
 */
static pid_t
stopper(int end)
{
	pid_t child;

	/* Under valgrind, _exit() writes what stands in the buffer. */
	fflush(stdout);
	child = fork();
	if (child != 0)
		return child;
	usleep(50000); /* by now we wait */
	kill(getppid(), SIGSTOP);
	usleep(600000);
	kill(getppid(), SIGCONT);
	usleep(100000);
	_exit(write(end, "", 1) != 1);
}

/* Whether what comes after a stop of ours still comes in time. */
static bool
is_awaited(void)
{
	int ends[2];
	bool came;

	if (pipe(ends) != 0)
		return false;
	stopper(ends[1]);
	came = fd_await(ends[0], POLLIN, clock_now_ns() + 200 * MS);
	wait(NULL);
	close(ends[0]);
	close(ends[1]);
	return came;
}

TEST(await)
{
	int ends[2];
	bool came = false;

	if (pipe(ends) != 0)
		return;
	ok(!fd_await(ends[0], POLLIN, clock_now_ns() + 10 * MS),
	    "nothing comes in time");
	close(ends[0]);
	close(ends[1]);
	/* Where the machine stands still, too, the stop may come too late. */
	for (int i = 0; i < 5 && !came; i++)
		came = is_awaited();
	ok(came, "time in which we stood still does not count");
}
