/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/entropy.h"
#include "system/fd.h"

bool
entropy_get(void *bytes, size_t size)
{
	ssize_t count = fd_read_file("/dev/urandom", bytes, size);

	if (count >= 0 && count < (ssize_t)size)
		errno = EIO;
	return count == (ssize_t)size;
}
