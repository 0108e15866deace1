/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <libproc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/sysctl.h>
#include <unistd.h>

/* In older SDKs it uses what unistd.h declares. */
#include <sys/random.h>

#include "core/base/base.h"
#include "system/system.h"

/* boot */

/* libc converts what mach_continuous_time() counts into nanoseconds. */
int64_t
boot_clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC_RAW);
}

ssize_t
boot_id(char *bytes, size_t size)
{
	return sysctlbyname("kern.bootsessionuuid", bytes, &size, NULL, 0) == 0
	    ? (ssize_t)size
	    : -1;
}

/* byte_lock */

/* The headers of older SDKs lack what their kernels have. */
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 90
#define F_OFD_GETLK 92
#endif

int
byte_lock(int fd, int command, struct flock *flock)
{
	int result
	    = fcntl(fd, command == F_SETLK ? F_OFD_SETLK : F_OFD_GETLK, flock);

	/* The kernel lacks the command. */
	if (result < 0 && errno == EINVAL)
		errno = ENOLCK;
	return result;
}

/* devices */

int
device_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

bool
device_is_network(int fd)
{
	struct statfs stat;

	return fstatfs(fd, &stat) == 0 && (stat.f_flags & MNT_LOCAL) == 0;
}

/* entropy */

bool
entropy_get(void *bytes, size_t size)
{
	return getentropy(bytes, size) == 0;
}

/* peek */

/* Of the two ends of a pipe, only the reading one tells. */
int
peek_count(int fd)
{
	int count;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

/* processes */

ANSWERS(bool processes_can_be_seen(void), true)
ANSWERS(int64_t processes_namespace(void), 1)

/*
 * What ps(1) shows of the process PID, whoever owns it; proc_pidinfo(3) shows
 * only the processes of the same user. False: it is gone.
 */
static bool
read_kinfo(struct kinfo_proc *info, pid_t pid)
{
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, pid };
	size_t size = sizeof *info;

	/* For a process that is gone it returns nothing, which is no error. */
	return sysctl(name, ARRAY_LENGTH(name), info, &size, NULL, 0) == 0
	    && size == sizeof *info;
}

bool
process_read(struct process *process, pid_t pid)
{
	struct kinfo_proc info;
	const struct extern_proc *kernel = &info.kp_proc;

	if (!read_kinfo(&info, pid))
		return false;
	*process = (struct process) {
		.pid = kernel->p_pid,
		.parent = info.kp_eproc.e_ppid,
		.start
		= (unsigned long long)kernel->p_starttime.tv_sec * 1000000
		    + (unsigned long long)kernel->p_starttime.tv_usec,
		.is_zombie = kernel->p_stat == SZOMB,
		.is_stopped = kernel->p_stat == SSTOP,
	};
	text_copy(process->name, sizeof process->name, kernel->p_comm);
	return true;
}

void
processes_each(void (*each)(pid_t pid, void *what), void *what)
{
	/* Some may be added meanwhile. */
	int room = proc_listallpids(NULL, 0) + 1024, count = 0;
	pid_t *pids = malloc((size_t)room * sizeof *pids);

	if (pids != NULL)
		count = proc_listallpids(pids, room * (int)sizeof *pids);
	for (int i = 0; i < count; i++)
		if (pids[i] > 0)
			each(pids[i], what);
	free(pids);
}

/*
 * The kernel shows the environments of the same user's processes alone, and not
 * those of Apple's own programs, such as /bin/sh, which it protects.
 */
bool
process_was_given(pid_t pid, const char *entry)
{
	int name[] = { CTL_KERN, KERN_PROCARGS2, pid };
	size_t size = ARG_MAX; /* which is its KERN_ARGMAX, too */
	char *block = calloc(1, size + 1);
	bool found = block != NULL
	    && sysctl(name, ARRAY_LENGTH(name), block, &size, NULL, 0) == 0
	    && process_block_has(block, size, entry);

	free(block);
	return found;
}

bool
process_own_program(char *path, size_t size)
{
	char found[PROC_PIDPATHINFO_MAXSIZE];

	if (proc_pidpath(getpid(), found, sizeof found) <= 0)
		return false;
	text_copy(path, size, found);
	return true;
}

/* signal_queue */

/* Whether keys of the terminal send backoff signals. */
static bool
is_in_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	bool is = fd >= 0 && tcgetpgrp(fd) == getpgrp();

	fd_close(&fd);
	return is;
}

/*
 * Whether PID may write the keys of backoff's terminal. Terminal emulators and
 * sshd have no terminal themselves; script(1) and expect(1), which may have
 * one, are ancestors of what runs in theirs.
 */
static bool
may_have_our_keys(pid_t pid)
{
	struct kinfo_proc info;

	return getsid(pid) != getsid(0) && read_kinfo(&info, pid)
	    && (info.kp_eproc.e_tdev == NODEV || process_may_be_ancestor(pid));
}

/*
 * si_code is 0 for every signal. si_pid is the process that was running: for a
 * key, the one that wrote it to the other side of the terminal; or 0, for a
 * signal from a driver, but also for any that was blocked when it came. A
 * signal handler calls this.
 */
bool
signal_is_by_process(const siginfo_t *info)
{
	return !is_in_foreground()
	    || (info->si_pid != 0 && !may_have_our_keys(info->si_pid));
}
