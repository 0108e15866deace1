/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "descriptor.h"

int
descriptor_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	/* A limit of ten descriptors or fewer leaves only the first ones. */
	return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int
descriptor_out_of_the_way(int fd)
{
	int copy;

	if (fd < 0 || fd >= 10)
		return fd;
	copy = descriptor_copy(fd);
	if (copy < 0)
		return fd;
	close(fd);
	return copy;
}
