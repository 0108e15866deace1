/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "process/clock.h"
#include "process/fd.h"
#include "process/helper.h"

/* Where the helper finds its end of the socket. */
#define HELPER_SOCKET 3

/* One that dies as it starts is not to keep the machine busy. */
#define AGAIN_NS NS_PER_S

static pid_t pid;
static int ours = -1;
static int64_t started_ns;
static void (*guard)(void);

/* In the child from vfork to exec. What it must not have it closes itself. */
static void
become(const char *path, char *const environment[], int theirs)
{
	char *argv[] = { (char *)(uintptr_t)path, NULL };

	if (dup2(theirs, HELPER_SOCKET) >= 0)
		execve(path, argv, environment);
}

bool
helper_start(const char *path, char *const environment[])
{
	volatile int error = 0;
	int ends[2], theirs;

	started_ns = clock_now_ns();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	ours = fd_out_of_the_way(ends[0]);
	/* Not 3 itself: a copy onto itself would be closed on exec. */
	theirs = fd_out_of_the_way(ends[1]);
	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
	pid = vfork();
	if (pid == 0) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
		become(path, environment, theirs);
		error = errno;
		_exit(1);
	}
	if (pid < 0)
		error = errno;
	close(theirs);
	if (error == 0)
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
