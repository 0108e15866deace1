/* SPDX-License-Identifier: MIT */
/* What POSIX.1-2008 alone answers; what is not here uses no parameter. */
#include <config.h>

#include <unistd.h>

#include "system/system.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

/* clang-format off */
/* boot */
ANSWERS(int64_t boot_clock_ns(void), clock_now_ns())
ANSWERS(ssize_t boot_id(char *bytes, size_t size), 0)
/* byte_lock */
/* Closing any descriptor of a file frees the locks that POSIX has. */
FAILS(int byte_lock(int fd, int command, struct flock *flock), ENOLCK)
/* devices */
ANSWERS(bool device_is_network(int fd), false)
/* entropy */
ANSWERS(bool entropy_get(void *bytes, size_t size),
    fd_read_file("/dev/urandom", bytes, size) == (ssize_t)size)
/* processes */
ANSWERS(bool processes_can_be_seen(void), false)
ANSWERS(int64_t processes_namespace(void), 0)
ANSWERS(bool process_read(struct process *process, pid_t pid), false)
ANSWERS(bool process_was_given(pid_t pid, const char *entry), false)
DOES_NOTHING(
    void processes_each(void (*each)(pid_t pid, void *what), void *what))
ANSWERS(bool process_own_program(char *path, size_t size), false)
/* clang-format on */

/* devices */

int
device_columns(int fd)
{
	return isatty(fd) ? 0 : -1;
}

/* peek */

int
peek_count(int fd)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	return poll(&watched, 1, 0) == 0 ? 0 : -1;
}

/* signal_queue */

bool
signal_is_by_process(const siginfo_t *info)
{
	int code = info->si_code;

	/* A system's own way to send one, such as SI_TKILL, tells who does. */
	return code == SI_USER || code == SI_QUEUE || code == SI_TIMER
	    || code == SI_ASYNCIO || code == SI_MESGQ || info->si_pid != 0;
}

/* NOLINTEND(misc-unused-parameters) */
