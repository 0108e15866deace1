/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/descriptors.h"

enum descriptors_same
descriptors_compare(int a, int b)
{
	(void)a;
	(void)b;
	return DESCRIPTORS_UNKNOWN;
}

int
descriptor_open_again(int fd, int flags)
{
	(void)fd;
	(void)flags;
	errno = ENOSYS;
	return -1;
}

bool
descriptor_is_place(int flags)
{
	(void)flags;
	return false;
}

#ifndef O_SEARCH
#define O_SEARCH O_RDONLY /* glibc and older macOS lack it */
#endif

int
descriptor_of_directory(const char *path, int flags)
{
	return open(path, O_SEARCH | O_DIRECTORY | O_CLOEXEC | flags);
}

bool
descriptors_pipe(int ends[2])
{
	if (pipe(ends) != 0)
		return false;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return true;
}

int
descriptor_of_stream(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_NONBLOCK);
	}
	return fd;
}

bool
descriptors_close_from(int first)
{
	(void)first;
	return false;
}
