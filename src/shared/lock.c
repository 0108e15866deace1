/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include "shared/lock.h"
#include "system/system.h"

static struct flock
request_for(int type, int64_t byte)
{
	return (struct flock) {
		.l_type = (short)type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)byte,
		.l_len = 1,
	};
}

enum lock_result
lock_try(int fd, int64_t byte)
{
	struct flock flock = request_for(F_WRLCK, byte);

	if (byte_lock(fd, BYTE_LOCK_TRY, &flock) == 0)
		return LOCK_HAD;
	return errno == EAGAIN || errno == EACCES ? LOCK_BUSY : LOCK_FAILED;
}

void
lock_free(int fd, int64_t byte)
{
	struct flock flock = request_for(F_UNLCK, byte);

	byte_lock(fd, BYTE_LOCK_TRY, &flock);
}

bool
lock_is_possible(int fd)
{
	struct flock flock = request_for(F_WRLCK, 0);

	return byte_lock(fd, BYTE_LOCK_LOOK, &flock) == 0;
}

int64_t
lock_find(int fd, int64_t first, int64_t last)
{
	struct flock flock = request_for(F_WRLCK, first);

	if (last < first)
		return -1;
	flock.l_len = (off_t)(last - first + 1);
	if (byte_lock(fd, BYTE_LOCK_LOOK, &flock) != 0
	    || flock.l_type == F_UNLCK)
		return -1;
	return flock.l_start;
}

bool
lock_is_taken(int fd, int64_t byte)
{
	return lock_find(fd, byte, byte) >= 0;
}
