/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "system/peek.h"

int64_t
peek_into(int to, int from, size_t most)
{
#if HAVE_DECL_TEE
	return tee(from, to, most, SPLICE_F_NONBLOCK);
#else
	(void)to;
	(void)from;
	(void)most;
	errno = ENOSYS;
	return -1;
#endif
}

int
peek_count(int fd)
{
	int count;

	return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

void
peek_resize(int pipe, int size)
{
	fcntl(pipe, F_SETPIPE_SZ, size);
}
