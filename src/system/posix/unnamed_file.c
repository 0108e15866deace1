/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/unnamed_file.h"

int
unnamed_file_open(const char *directory, int flags)
{
	(void)directory;
	(void)flags;
	errno = EOPNOTSUPP;
	return -1;
}

int
unnamed_file_in_memory(void)
{
	errno = ENOSYS;
	return -1;
}

void
unnamed_file_name(int fd, char *path, size_t size)
{
	(void)fd;
	(void)size;
	path[0] = '\0';
}
