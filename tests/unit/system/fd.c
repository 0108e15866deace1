/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
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

TEST(await)
{
	int ends[2];

	if (pipe(ends) != 0)
		return;
	ok(!fd_await(ends[0], POLLIN, clock_now_ns() + 10 * MS),
	    "nothing comes in time");
	stopper(ends[1]);
	ok(fd_await(ends[0], POLLIN, clock_now_ns() + 200 * MS),
	    "time in which we stood still does not count");
	wait(NULL);
	close(ends[0]);
	close(ends[1]);
}
