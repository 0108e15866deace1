/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <sys/param.h>
#include <unistd.h>

#include "system/darwin/kinfo.h"
#include "system/fd.h"
#include "system/posix/signal_sender.h"

/* A chain that changes while it is read may loop. */
#define MOST_ANCESTORS 256

/* Whether keys of our terminal send us signals. */
static bool
is_in_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	bool is = fd >= 0 && tcgetpgrp(fd) == getpgrp();

	fd_close(&fd);
	return is;
}

static bool
is_ancestor(pid_t pid)
{
	struct kinfo_proc info;
	pid_t ancestor = getppid();

	for (int i = 0; ancestor > 1 && i < MOST_ANCESTORS; i++) {
		if (ancestor == pid)
			return true;
		if (!kinfo_read(&info, ancestor))
			break;
		ancestor = info.kp_eproc.e_ppid;
	}
	return false;
}

/*
 * Terminal emulators and sshd have no terminal themselves; script(1) and
 * expect(1), which may have one, have started what runs in theirs.
 */
static bool
may_have_our_keys(pid_t pid)
{
	struct kinfo_proc info;

	return getsid(pid) != getsid(0) && kinfo_read(&info, pid)
	    && (info.kp_eproc.e_tdev == NODEV || is_ancestor(pid));
}

/*
 * si_code is 0 for every signal. si_pid is the process that was running: for a
 * key it is the one that wrote it to the other side of our terminal; or 0, for
 * one from a driver, but also for any that was blocked when it came. Called by
 * handlers.
 */
bool
signal_is_by_process(const siginfo_t *info)
{
	return !is_in_foreground()
	    || (info->si_pid != 0 && !may_have_our_keys(info->si_pid));
}
