/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/handles.h"

#if !HAVE_DECL_SYS_PIDFD_OPEN || !HAVE_DECL_SYS_PIDFD_SEND_SIGNAL
/* A system call number that no kernel has: ENOSYS. */
#undef SYS_pidfd_open
#undef SYS_pidfd_send_signal
#define SYS_pidfd_open -1
#define SYS_pidfd_send_signal -1
#endif

static int
open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int
signal_pidfd(int pidfd, int signal)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/*
 * Linux before 5.3 lacks pidfds (ENOSYS), and a sandbox may forbid them, mostly
 * with EPERM. So try one on backoff itself, where EPERM means nothing else.
 */
static bool
has_pidfds(void)
{
	static int known = -1;
	int self;

	if (known < 0) {
		self = open_pidfd(getpid());
		known = self >= 0 && signal_pidfd(self, 0) == 0;
		handle_close(self);
	}
	return known == 1;
}

int
handle_open(pid_t pid)
{
	return has_pidfds() ? open_pidfd(pid) : -1;
}

int
handle_signal(int handle, pid_t pid, int signal)
{
	return handle >= 0 ? signal_pidfd(handle, signal) : kill(pid, signal);
}

void
handle_close(int handle)
{
	if (handle >= 0)
		close(handle);
}
