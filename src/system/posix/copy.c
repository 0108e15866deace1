/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/copy.h"

ssize_t
/* NOLINTNEXTLINE(readability-non-const-parameter): others move it */
copy_to_pipe(int to, int file, off_t *offset, size_t most)
{
	(void)to;
	(void)file;
	(void)offset;
	(void)most;
	errno = ENOSYS;
	return -1;
}
