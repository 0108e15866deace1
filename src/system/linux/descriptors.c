/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/text.h"
#include "system/descriptors.h"

enum descriptors_same
descriptors_compare(int a, int b)
{
	long order = -1;

#ifdef SYS_kcmp
	/* Type 0 is KCMP_FILE; not every libc has its header. */
	order = syscall(SYS_kcmp, getpid(), getpid(), 0, (unsigned long)a,
	    (unsigned long)b);
#endif
	return order < 0 ? DESCRIPTORS_UNKNOWN
	    : order == 0 ? DESCRIPTORS_SAME
	                 : DESCRIPTORS_DIFFER;
}

int
descriptor_open_again(int fd, int flags)
{
	const char *path = JOINED(32, "/proc/self/fd/", NUMBER(fd));

	return open(path, flags | O_CLOEXEC);
}

bool
descriptor_is_place(int flags)
{
	return (flags & O_PATH) != 0;
}

int
descriptor_of_directory(const char *path, int flags)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
}

bool
descriptors_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC) == 0;
}

int
descriptor_of_stream(int family)
{
	return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool
descriptors_close_from(int first)
{
#ifdef SYS_close_range
	return syscall(SYS_close_range, first, UINT_MAX, 0) == 0;
#else
	(void)first;
	return false;
#endif
}
