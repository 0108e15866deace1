/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/byte_lock.h"

/* The headers of older SDKs lack what their kernels have. */
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 90
#define F_OFD_GETLK 92
#endif

static int
control(int fd, int command, struct flock *flock)
{
	int result = fcntl(fd, command, flock);

	/* A kernel that lacks the command. */
	if (result < 0 && errno == EINVAL)
		errno = ENOLCK;
	return result;
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
