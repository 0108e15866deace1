/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/byte_lock.h"

#if !HAVE_DECL_F_OFD_SETLK
/* Commands that no kernel has: see control(). */
#undef F_OFD_GETLK
#undef F_OFD_SETLK
#define F_OFD_GETLK -1
#define F_OFD_SETLK -1
#endif

/*
 * The raw call: with 64-bit offsets struct flock is what the kernel reads.
 * Locks of a process are no substitute: the first descriptor it closes loses
 * them.
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
	};

	return control(fd, commands[call], flock);
}
