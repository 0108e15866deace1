/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "process/signals.h"
#include "streams/copy.h"
#include "streams/held_output.h"
#include "streams/tempfile.h"
#include "system/system.h"

/* What an attempt writes to fd 1 or 2. */
struct held {
	int file; /* to be read in the end, or -1 */
	int writer; /* for COMMAND, if that is another description */
	bool
	    shows_writers; /* file_has_writers() is about others than backoff */
	off_t size; /* in the end, or when last looked at */
};

#define NOTHING_HELD \
	{ \
		-1, -1, false, 0 \
	}

static enum hold_what what;
static bool one_file; /* stdout and stderr are one file: keep their order */
static bool can_tell; /* file_has_writers() works in this file system */
static bool stderr_torn; /* a release has left stderr within a line */
static struct held last[3] = { NOTHING_HELD, NOTHING_HELD, NOTHING_HELD };

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
	can_tell = reader >= 0 && !file_has_writers(reader);
	fd_close(&reader);
	return true;
}

static void
drop(struct held held[3])
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		fd_close(&held[fd].file);
		fd_close(&held[fd].writer);
	}
}

bool
hold_keeps(int fd)
{
	return what == HOLD_ALL || (what == HOLD_STDOUT && fd == STDOUT_FILENO);
}

/* Whether fd has a file of its own. */
static bool
has_file(int fd)
{
	return hold_keeps(fd) && !(one_file && fd == STDERR_FILENO);
}

static bool
open_files(struct held held[3])
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!has_file(fd))
			continue;
		/* COMMAND may open /dev/stdout again and write at 0. */
		held[fd].file = tempfile_open(O_APPEND);
		if (held[fd].file >= 0)
			continue;
		drop(held);
		return false;
	}
	return true;
}

/* COMMAND gets a description of its own: backoff must not be a writer. */
static void
split(struct held *held)
{
	int reader = -1;

	if (held->file >= 0 && can_tell)
		reader = fd_reopen(held->file, O_RDONLY);
	if (reader < 0)
		return;
	held->writer = held->file;
	held->file = reader;
	held->shows_writers = true;
}

bool
hold_begin(int descriptors[3])
{
	struct held next[3] = { NOTHING_HELD, NOTHING_HELD, NOTHING_HELD };
	bool opened = open_files(next);

	if (!opened && errno == EMFILE) {
		/* There are descriptors for the files of one attempt only. */
		drop(last);
		opened = open_files(next);
	}
	if (!opened)
		return false;
	drop(last);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		last[fd] = next[fd];
		split(&last[fd]);
		if (has_file(fd))
			descriptors[fd] = last[fd].writer >= 0 ? last[fd].writer
			                                       : last[fd].file;
		else if (hold_keeps(fd))
			descriptors[fd] = descriptors[STDOUT_FILENO];
	}
	return true;
}

void
hold_started(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		fd_close(&last[fd].writer);
}

bool
hold_is_open(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (last[fd].shows_writers && file_has_writers(last[fd].file))
			return true;
	return false;
}

bool
hold_has_grown(void)
{
	bool has_grown = false;
	struct stat stat;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (last[fd].file < 0 || fstat(last[fd].file, &stat) != 0)
			continue;
		has_grown = has_grown || stat.st_size != last[fd].size;
		last[fd].size = stat.st_size;
	}
	return has_grown;
}

void
hold_end(void)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (last[fd].file >= 0)
			last[fd].size = lseek(last[fd].file, 0, SEEK_END);
	}
}

int
hold_file(int fd, off_t *size)
{
	*size = last[fd].size;
	return last[fd].file;
}

bool
hold_tore_stderr(void)
{
	return stderr_torn;
}

const char *
hold_is_full(void)
{
	struct statvfs stat;

	if (last[STDOUT_FILENO].file < 0
	    || fstatvfs(last[STDOUT_FILENO].file, &stat) != 0)
		return NULL;
	/* Some file systems have no limit of inodes: 0 of 0 are free. */
	return (geteuid() == 0 ? stat.f_bfree : stat.f_bavail) == 0
	        || (stat.f_files > 0 && stat.f_ffree == 0)
	    ? tempfile_directory()
	    : NULL;
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

		if (last[fd].file < 0)
			continue;
		errno = EIO;
		if (last[fd].size >= 0)
			one = copy_file(
			    to[fd], last[fd].file, last[fd].size, until_ns);
		if (one == WRITTEN_FAILED)
			error = errno;
		if (one_file || fd_same_file(to[fd], STDERR_FILENO))
			stderr_torn = one != WRITTEN_ALL
			    || !ends_line(last[fd].file, last[fd].size);
		if (one > end)
			end = one;
	}
	signals_after_write(error != 0);
	drop(last);
	errno = error;
	return end;
}
