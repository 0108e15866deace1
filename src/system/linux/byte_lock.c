/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/byte_lock.h"

#if !HAVE_DECL_F_OFD_SETLKW
/* Commands that no kernel has: see control(). */
#undef F_OFD_GETLK
#undef F_OFD_SETLK
#undef F_OFD_SETLKW
#define F_OFD_GETLK -1
#define F_OFD_SETLK -1
#define F_OFD_SETLKW -1
#endif

/*
 * The raw call: a libc might hand the kernel a copy, which a handler cannot
 * reach. With 64-bit offsets struct flock is what the kernel reads. Locks of a
 * process are no substitute: the first descriptor it closes loses them.
 */
static int
control(int fd, int command, struct flock *flock)
{
	if (command < 0) {
		errno = ENOLCK;
		return -1;
	}
#ifdef SYS_fcntl64
	return (int)syscall(SYS_fcntl64, fd, command, flock);
#else
	return (int)syscall(SYS_fcntl, fd, command, flock);
#endif
}

int
byte_lock(int fd, enum byte_lock_call call, struct flock *flock)
{
	static const int commands[] = {
		[BYTE_LOCK_LOOK] = F_OFD_GETLK,
		[BYTE_LOCK_TRY] = F_OFD_SETLK,
		[BYTE_LOCK_WAIT] = F_OFD_SETLKW,
	};

	return control(fd, commands[call], flock);
}

/*
 * Those that wait are in /proc/locks only, as
 * "1: -> OFDLCK ADVISORY WRITE -1 fe:00:1234 17179869185 17179869185".
 */
int64_t
byte_lock_waiters(int fd, bool (*counts)(int64_t byte))
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	int64_t count = 0, start;
	uint64_t inode;
	struct stat stat;

	if (locks == NULL)
		return 0;
	if (fstat(fd, &stat) == 0)
		while (fgets(line, sizeof line, locks) != NULL)
			if (sscanf(line,
			        "%*d: -> OFDLCK %*s %*s %*d %*x:%*x:%" SCNu64
			        " %" SCNd64,
			        &inode, &start)
			        == 2
			    && inode == (uint64_t)stat.st_ino && counts(start))
				count++;
	fclose(locks);
	return count;
}
