/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "copy.h"
#include "descriptor.h"
#include "hold.h"
#include "signals.h"
#include "tempfile.h"

#define NOT_HELD (-1)

static enum hold_what what;
static bool one_file; /* stdout and stderr are one, and keep their order */
static off_t sizes[3];
static int files[3] = { NOT_HELD, NOT_HELD, NOT_HELD };

void
hold_start(enum hold_what hold)
{
	what = hold;
	one_file
	    = hold == HOLD_ALL && descriptor_same(STDOUT_FILENO, STDERR_FILENO);
}

static void
drop(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (files[fd] >= 0)
			close(files[fd]);
		files[fd] = NOT_HELD;
	}
}

bool
hold_begin(int descriptors[3])
{
	drop();
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (what == HOLD_NOTHING
		    || (fd == STDERR_FILENO && what == HOLD_STDOUT))
			continue;
		if (fd == STDERR_FILENO && one_file) {
			descriptors[fd] = files[STDOUT_FILENO];
			continue;
		}
		/* A second opening of /dev/stdout must not write over it. */
		files[fd] = tempfile_open(O_APPEND);
		if (files[fd] < 0)
			return false;
		descriptors[fd] = files[fd];
	}
	return true;
}

void
hold_end(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		sizes[fd] = files[fd] >= 0 ? lseek(files[fd], 0, SEEK_END) : 0;
}

int
hold_file(int fd, off_t *size)
{
	*size = sizes[fd];
	return files[fd];
}

bool
hold_release(bool failed)
{
	int to[3] = { -1, STDOUT_FILENO, STDERR_FILENO };
	int error = 0;

	if (what == HOLD_NOTHING)
		return true;
	if (failed && what == HOLD_STDOUT)
		to[STDOUT_FILENO] = STDERR_FILENO;
	signals_before_write();
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (files[fd] >= 0 && sizes[fd] < 0)
			error = EIO;
		else if (files[fd] >= 0
		    && !copy_file(to[fd], files[fd], sizes[fd]))
			error = errno;
	signals_after_write(error != 0);
	drop();
	errno = error;
	return error == 0;
}
