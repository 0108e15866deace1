/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "system/clock.h"
#include "system/descriptors.h"
#include "system/fd.h"

/* poll(2) is late by this much only if we could not run meanwhile. */
#define STOOD_STILL_NS (100 * NS_PER_MS)

int
fd_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	/* A limit of ten descriptors or fewer leaves none above 9. */
	return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int
fd_out_of_the_way(int fd)
{
	int copy;

	if (fd < 0 || fd >= 10)
		return fd;
	copy = fd_copy(fd);
	if (copy < 0)
		return fd;
	close(fd);
	return copy;
}

bool
fd_same_file(int a, int b)
{
	struct stat left, right;

	return fstat(a, &left) == 0 && fstat(b, &right) == 0
	    && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

bool
fd_same(int a, int b)
{
	enum descriptors_same same = descriptors_compare(a, b);

	return same == DESCRIPTORS_UNKNOWN ? fd_same_file(a, b)
	                                   : same == DESCRIPTORS_SAME;
}

int
fd_reopen(int fd, int flags)
{
	return fd_out_of_the_way(descriptor_open_again(fd, flags));
}

void
fd_close(int *fd)
{
	int error = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

void
fd_close_from(int first)
{
	long most = sysconf(_SC_OPEN_MAX);

	if (descriptors_close_from(first))
		return;
	if (most < 0 || most > 65536)
		most = 65536;
	for (int fd = first; fd < most; fd++)
		close(fd);
}

int
fd_poll(struct pollfd *watched, nfds_t count, int64_t *until_ns)
{
	int64_t left_ns = max_ns(*until_ns - clock_now_ns(), 0);
	int ready = poll(watched, count, (int)(left_ns / NS_PER_MS) + 1);
	int64_t now_ns = clock_now_ns();

	if (ready == 0 && now_ns - *until_ns > STOOD_STILL_NS)
		*until_ns = now_ns + left_ns;
	return ready;
}

bool
fd_await(int fd, short events, int64_t until_ns)
{
	struct pollfd watched = { .fd = fd, .events = events };

	while (until_ns > clock_now_ns())
		if (fd_poll(&watched, 1, &until_ns) > 0)
			return true;
	return false;
}

ssize_t
fd_read_file(const char *path, void *bytes, size_t size)
{
	/* It could be a FIFO, on which nobody writes. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count = fd >= 0 ? read(fd, bytes, size) : -1;

	fd_close(&fd);
	return count;
}
