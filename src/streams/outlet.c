/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/signals.h"
#include "streams/outlet.h"
#include "system/system.h"

#define SMALL_STEP 256 /* a terminal with any room has room for this */

static bool
is_terminal(int fd, const struct stat *stat)
{
	return S_ISCHR(stat->st_mode) && !device_is_ptmx(stat) && isatty(fd);
}

struct outlet
outlet_of(int fd)
{
	struct outlet outlet = { .fd = fd, .out = fd, .step = SMALL_STEP };
	struct stat stat;
	int again = -1;

	if (fstat(fd, &stat) != 0)
		return outlet;
	outlet.is_socket = S_ISSOCK(stat.st_mode);
	if (S_ISREG(stat.st_mode) || S_ISBLK(stat.st_mode)
	    || device_is_memory(&stat))
		outlet.step = SIZE_MAX;
	else if (S_ISFIFO(stat.st_mode))
		outlet.step = PIPE_BUF;
	outlet.is_terminal = outlet.step != SIZE_MAX && is_terminal(fd, &stat);
	/* O_NONBLOCK on FD itself would affect everyone who shares it. */
	if (S_ISFIFO(stat.st_mode) || outlet.is_terminal)
		again = fd_reopen(fd, O_WRONLY | O_NONBLOCK | O_NOCTTY);
	if (again >= 0)
		outlet.out = again;
	return outlet;
}

void
outlet_close(struct outlet *outlet)
{
	if (outlet->out != outlet->fd)
		close(outlet->out);
	outlet->out = outlet->fd;
}

/*
 * If FD could not be opened again (another user's pipe), poll first,
 * and then write no more than there is room for.
 */
static ssize_t
write_step(const struct outlet *outlet, const char *bytes, size_t count)
{
	struct pollfd target = { .fd = outlet->fd, .events = POLLOUT };

	if (poll(&target, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(
	    outlet->fd, bytes, count < outlet->step ? count : outlet->step);
}

ssize_t
outlet_write(const struct outlet *outlet, const char *bytes, size_t count)
{
	if (outlet->is_socket)
		return send(outlet->fd, bytes, count, MSG_DONTWAIT);
	if (outlet->out != outlet->fd || outlet->step == SIZE_MAX)
		return write(outlet->out, bytes, count);
	return write_step(outlet, bytes, count);
}

enum written
outlet_put(const struct outlet *outlet, const char *bytes, size_t *left,
    int64_t until_ns)
{
	while (*left > 0) {
		ssize_t written = outlet_write(outlet, bytes, *left);

		if (written > 0) {
			bytes += written;
			*left -= (size_t)written;
			continue;
		}
		if (written < 0 && errno == EINTR)
			continue;
		if (written == 0)
			errno = EIO;
		if (written == 0 || errno != EAGAIN)
			return WRITTEN_FAILED;
		if (signals_await_room(outlet->fd, until_ns) != WAKE_DESCRIPTOR)
			return WRITTEN_PART;
	}
	return WRITTEN_ALL;
}
