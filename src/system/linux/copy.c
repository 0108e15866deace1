/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "system/copy.h"

ssize_t
copy_to_pipe(int to, int file, off_t *offset, size_t most)
{
	return splice(file, offset, to, NULL, most, SPLICE_F_NONBLOCK);
}
