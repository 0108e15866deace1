/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/byte_lock.h"

/*
 * POSIX has locks of a process alone: the first descriptor of the file that it
 * closes loses them.
 */
int
byte_lock(int fd, enum byte_lock_call call, struct flock *flock)
{
	(void)fd;
	(void)call;
	(void)flock;
	errno = ENOLCK;
	return -1;
}
