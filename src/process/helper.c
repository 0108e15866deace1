/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/helper.h"
#include "system/system.h"

/* Where the helper finds its end of the socket. */
#define HELPER_SOCKET 3

/* One that dies as it starts is not to keep the machine busy. */
#define AGAIN_NS NS_PER_S

static pid_t pid;
static int ours = -1;
static int64_t started_ns;
static void (*guard)(void);

struct program {
	const char *path;
	char *const *environment;
	int theirs;
};

/* In the child, up to exec. What it must not have it closes itself. */
static void
become(const void *what)
{
	const struct program *program = what;
	char *argv[] = { (char *)(uintptr_t)program->path, NULL };

	if (dup2(program->theirs, HELPER_SOCKET) >= 0)
		execve(program->path, argv, program->environment);
}

bool
helper_start(const char *path, char *const environment[])
{
	struct program program = { path, environment, -1 };
	int ends[2], error;

	started_ns = clock_now_ns();
	if (!messages_pair(ends))
		return false;
	ours = fd_out_of_the_way(ends[0]);
	/* Not 3 itself: a copy onto itself would be closed on exec. */
	program.theirs = fd_out_of_the_way(ends[1]);
	pid = new_process(become, &program);
	error = errno;
	close(program.theirs);
	if (pid > 0)
		return true;
	helper_end(0);
	errno = error;
	return false;
}

int
helper_socket(void)
{
	return ours;
}

pid_t
helper_pid(void)
{
	return pid > 0 ? pid : 0;
}

void
helper_is_reaped(void)
{
	pid = 0;
}

void
helper_guard(void (*revive)(void))
{
	guard = revive;
}

int64_t
helper_due_ns(void)
{
	return guard != NULL && pid <= 0 ? started_ns + AGAIN_NS : INT64_MAX;
}

void
helper_look(void)
{
	int64_t due_ns = helper_due_ns();

	if (due_ns < INT64_MAX && clock_now_ns() >= due_ns)
		guard();
}

void
helper_end(int64_t until_ns)
{
	char rest[64];

	/* It closes its end as it ends. What it still says is not wanted. */
	while (ours >= 0 && fd_await(ours, POLLIN, until_ns)
	    && read(ours, rest, sizeof rest) > 0)
		continue;
	fd_close(&ours);
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	pid = 0;
}
