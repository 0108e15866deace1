/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "log/target.h"
#include "process/fd.h"

/* "/dev/fd/3", "/dev/stdout": that very descriptor. Else -1. */
static int
named_descriptor(const char *file)
{
	int64_t number;

	if (strcmp(file, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(file, "/dev/stderr") == 0)
		return STDERR_FILENO;
	if (strncmp(file, "/dev/fd/", 8) == 0 && count_parse(file + 8, &number)
	    && number < 1000000)
		return (int)number;
	return -1;
}

int
log_target(const char *file)
{
	int named = named_descriptor(file);
	int flags;

	if (named >= 0) {
		flags = fcntl(named, F_GETFL);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return fd_copy(named);
		errno = EBADF;
		return -1;
	}
	return fd_out_of_the_way(open(file,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
	        | O_NONBLOCK, /* a FIFO that nobody reads is an error */
	    0666));
}
