/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "core/base/duration.h"
#include "system/system.h"

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

bool
fd_await(int fd, short events, int64_t until_ns)
{
	struct pollfd watched = { .fd = fd, .events = events };
	int64_t left_ns, now_ns = clock_now_ns();
	int ready;

	while ((left_ns = until_ns - now_ns) > 0) {
		ready = poll(&watched, 1, (int)(left_ns / NS_PER_MS) + 1);
		if (ready > 0)
			return true;
		now_ns = clock_now_ns();
		if (ready == 0 && now_ns - until_ns > STOOD_STILL_NS)
			until_ns = now_ns + left_ns;
	}
	return false;
}

ssize_t
fd_read_file(const char *path, void *bytes, size_t size)
{
	/* O_NONBLOCK: a FIFO without a writer would block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count = fd >= 0 ? read(fd, bytes, size) : -1;

	fd_close(&fd);
	return count;
}
