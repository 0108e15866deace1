/* SPDX-License-Identifier: MIT */
/*
 * What POSIX.1-2008 alone answers. What is not here fails whatever it is asked,
 * so parameters are unused.
 */
#include <config.h>

#include <unistd.h>

#include "system/system.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

/* boot */

int64_t
boot_clock_ns(void)
{
	return clock_now_ns();
}

ssize_t
boot_id(char *bytes, size_t size)
{
	return 0;
}

/* byte_lock */

/*
 * POSIX has only locks of a process, and closing any descriptor of the file
 * frees them.
 */
int
byte_lock(int fd, enum byte_lock_call call, struct flock *flock)
{
	errno = ENOLCK;
	return -1;
}

/* devices */

bool
device_is_memory(const struct stat *device)
{
	struct stat null;

	return S_ISCHR(device->st_mode) && stat("/dev/null", &null) == 0
	    && device->st_rdev == null.st_rdev;
}

bool
device_is_ptmx(const struct stat *device)
{
	return false;
}

int
device_columns(int fd)
{
	return isatty(fd) ? 0 : -1;
}

bool
device_is_network(int fd)
{
	return false;
}

/* entropy */

bool
entropy_get(void *bytes, size_t size)
{
	ssize_t count = fd_read_file("/dev/urandom", bytes, size);

	if (count >= 0 && count < (ssize_t)size)
		errno = EIO;
	return count == (ssize_t)size;
}

/* peek */

int
peek_count(int fd)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	if (poll(&watched, 1, 0) == 0)
		return 0;
	errno = ENOSYS;
	return -1;
}

/* processes */

bool
processes_can_be_seen(void)
{
	return false;
}

int64_t
processes_namespace(void)
{
	return 0;
}

bool
process_read(struct process *process, pid_t pid)
{
	return false;
}

void
processes_each(bool (*each)(pid_t pid, void *what), void *what)
{
}

char *
process_environment(pid_t pid, size_t *length)
{
	return NULL;
}

bool
process_own_program(char *path, size_t size)
{
	return false;
}

/* signal_queue */

bool
signal_is_by_process(const siginfo_t *info)
{
	switch (info->si_code) {
	case SI_USER:
	case SI_QUEUE:
	case SI_TIMER:
	case SI_ASYNCIO:
	case SI_MESGQ:
		return true;
	default:
		/* A system's own way to send one, such as SI_TKILL. */
		return info->si_pid != 0;
	}
}

/* NOLINTEND(misc-unused-parameters) */
