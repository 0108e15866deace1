/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "streams/copy.h"
#include "process/fd.h"
#include "streams/held_output.h"
#include "process/signals.h"
#include "streams/tempfile.h"

#define NOT_HELD (-1)

static enum hold_what what;
static bool one_file; /* stdout and stderr are one file: keep their order */
static bool can_tell; /* has_writers() works in this file system */
static bool stderr_torn; /* a release to stderr was cut short */
static off_t sizes[3];
static int files[3] = { NOT_HELD, NOT_HELD, NOT_HELD };
static int writers[3] = { NOT_HELD, NOT_HELD, NOT_HELD }; /* for COMMAND */

/* The kernel grants a read lease only if nobody can write. */
static bool
has_writers(int file)
{
	if (fcntl(file, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	fcntl(file, F_SETLEASE, F_UNLCK);
	return false;
}

bool
hold_start(enum hold_what hold)
{
	int probe, reader;

	what = hold;
	one_file = hold == HOLD_ALL && fd_same(STDOUT_FILENO, STDERR_FILENO);
	if (hold == HOLD_NOTHING)
		return true;
	probe = tempfile_open(O_APPEND);
	if (probe < 0)
		return false;
	reader = fd_reopen(probe, O_RDONLY);
	close(probe);
	/* On NFS there always seems to be a writer. */
	can_tell = reader >= 0 && !has_writers(reader);
	if (reader >= 0)
		close(reader);
	return true;
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

/* COMMAND gets a description of its own: backoff must not be a writer. */
static bool
open_file(int fd)
{
	int reader = -1;

	/* O_APPEND, as COMMAND may open /dev/stdout again and write at 0. */
	files[fd] = tempfile_open(O_APPEND);
	if (files[fd] < 0)
		return false;
	if (can_tell)
		reader = fd_reopen(files[fd], O_RDONLY);
	if (reader >= 0) {
		writers[fd] = files[fd];
		files[fd] = reader;
	}
	return true;
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
			descriptors[fd] = descriptors[STDOUT_FILENO];
			continue;
		}
		if (!open_file(fd))
			return false;
		descriptors[fd] = writers[fd] >= 0 ? writers[fd] : files[fd];
	}
	return true;
}

void
hold_started(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (writers[fd] >= 0)
			close(writers[fd]);
		writers[fd] = NOT_HELD;
	}
}

bool
hold_is_open(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (can_tell && files[fd] >= 0 && has_writers(files[fd]))
			return true;
	return false;
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
hold_tore_stderr(void)
{
	return stderr_torn;
}

enum written
hold_release(bool failed, int64_t until_ns)
{
	int to[3] = { -1, STDOUT_FILENO, STDERR_FILENO };
	enum written end = WRITTEN_ALL;
	int error = 0;

	if (what == HOLD_NOTHING)
		return WRITTEN_ALL;
	if (failed && what == HOLD_STDOUT)
		to[STDOUT_FILENO] = STDERR_FILENO;
	signals_before_write();
	/* If one stream cannot be released, the other still can. */
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		enum written one = WRITTEN_FAILED;

		if (files[fd] < 0)
			continue;
		errno = EIO;
		if (sizes[fd] >= 0)
			one = copy_file(to[fd], files[fd], sizes[fd], until_ns);
		if (one == WRITTEN_FAILED)
			error = errno;
		stderr_torn = stderr_torn
		    || (one != WRITTEN_ALL && to[fd] == STDERR_FILENO);
		if (one > end)
			end = one;
	}
	signals_after_write(error != 0);
	drop();
	errno = error;
	return end;
}
