/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/text.h"
#include "process/fd.h"

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
	long order = -1;

#ifdef SYS_kcmp
	/* Type 0 is KCMP_FILE; not every libc has its header. */
	order = syscall(SYS_kcmp, getpid(), getpid(), 0, (unsigned long)a,
	    (unsigned long)b);
#endif
	return order >= 0 ? order == 0 : fd_same_file(a, b);
}

int
fd_reopen(int fd, int flags)
{
	char path[32];
	struct text text = text_in(path, sizeof path);

	text_add(&text, "/proc/self/fd/");
	text_number(&text, fd);
	return fd_out_of_the_way(open(path, flags | O_CLOEXEC));
}
