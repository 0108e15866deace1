/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "process/process.h"
#include "streams/streams.h"
#include "system/system.h"

#define SMALL_STEP 256 /* most terminals with any room have room for this */
#define CHUNK 65536

/* --- temporary files --- */

const char *
tempfile_directory(void)
{
	const char *chosen = getenv("TMPDIR");

	return chosen != NULL && *chosen != '\0' ? chosen : "/var/tmp";
}

int
tempfile_named(const char *prefix, char *path, size_t size)
{
	struct text text = text_in(path, size);
	int fd;

	text_join(&text, tempfile_directory(), "/", prefix, "XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, O_APPEND);
	}
	return fd_out_of_the_way(fd);
}

int
tempfile_open(void)
{
	char path[PATH_MAX];
	int fd = unnamed_file_open(tempfile_directory());

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd_out_of_the_way(fd);
	/* Where all files have names, this one has it for a moment. */
	fd = tempfile_named("backoff-", path, sizeof path);
	if (fd >= 0)
		unlink(path);
	return fd;
}

bool
ends_line(int file, off_t size)
{
	char last;

	return size <= 0 || pread(file, &last, 1, size - 1) != 1
	    || last == '\n';
}

ssize_t
file_read(int file, void *bytes, size_t most, off_t offset)
{
	ssize_t count;

	RETRY_EINTR(count, pread(file, bytes, most, offset));
	if (count == 0)
		errno = EIO;
	return count;
}

/* --- outlets --- */

short
poll_once(int fd, short events)
{
	struct pollfd one = { .fd = fd, .events = events };

	poll(&one, 1, 0);
	return one.revents;
}

struct outlet
outlet_of(int fd)
{
	struct outlet outlet = { .fd = fd, .out = fd, .step = SMALL_STEP };
	struct stat stat = { 0 };
	int again = -1;

	fstat(fd, &stat);
	outlet.is_socket = S_ISSOCK(stat.st_mode);
	if (S_ISREG(stat.st_mode) || S_ISBLK(stat.st_mode)
	    || device_is_memory(&stat))
		outlet.step = SIZE_MAX;
	else if (S_ISFIFO(stat.st_mode))
		outlet.step = PIPE_BUF;
	outlet.is_terminal = outlet.step != SIZE_MAX && S_ISCHR(stat.st_mode)
	    && !device_is_ptmx(&stat) && isatty(fd);
	/* O_NONBLOCK on FD itself would affect everyone who shares it. */
	if (S_ISFIFO(stat.st_mode) || outlet.is_terminal)
		again = fd_reopen(fd, O_WRONLY | O_NONBLOCK | O_NOCTTY);
	if (again >= 0) {
		outlet.out = again;
		outlet.step = SIZE_MAX;
	}
	return outlet;
}

void
outlet_close(struct outlet *outlet)
{
	if (outlet->out != outlet->fd)
		fd_close(&outlet->out);
}

ssize_t
outlet_write(const struct outlet *outlet, const char *bytes, size_t count)
{
	ssize_t written = -1;

	if (outlet->is_socket)
		written = send(outlet->fd, bytes, count, MSG_DONTWAIT);
	else if (outlet->step == SIZE_MAX)
		written = write(outlet->out, bytes, count);
	/* It could not be opened again (another user's pipe): so poll first,
	 * and then write what there is room for, most likely. */
	else if (poll_once(outlet->fd, POLLOUT) != 0)
		written = signals_write(outlet->fd, bytes,
		    count < outlet->step ? count : outlet->step);
	else
		errno = EAGAIN;
	if (written != 0)
		return written;
	errno = EIO;
	return -1;
}

enum written
outlet_put(const struct outlet *outlet, const char *bytes, size_t *left,
    int64_t until_ns)
{
	while (*left > 0) {
		ssize_t written = outlet_write(outlet, bytes, *left);

		if (written > 0) {
			bytes += written;
			*left -= (size_t)written;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return WRITTEN_FAILED;
		if (until_ns == AT_ONCE
		    || signals_await_room(outlet->fd, until_ns)
		        != WAKE_DESCRIPTOR)
			return WRITTEN_PART;
	}
	return WRITTEN_ALL;
}

enum written
copy_file(int to, int file, off_t size, int64_t until_ns)
{
	char buffer[CHUNK];
	struct outlet outlet;
	enum written end = WRITTEN_ALL;

	if (size <= 0)
		return WRITTEN_ALL;
	outlet = outlet_of(to);
	for (off_t offset = 0; offset < size && end == WRITTEN_ALL;) {
		size_t most = (size_t)min_ns(size - offset, CHUNK);
		ssize_t count = file_read(file, buffer, most, offset);
		size_t left = (size_t)count;

		offset += count;
		end = count > 0 ? outlet_put(&outlet, buffer, &left, until_ns)
		                : WRITTEN_FAILED;
	}
	outlet_close(&outlet);
	return end;
}
