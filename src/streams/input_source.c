/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streams/input_source.h"
#include "system/system.h"

static bool is_socket;
static int reader = STDIN_FILENO; /* or a non-blocking description of it */

/* Only a connected stream has an order and an end, as replay needs. */
static bool
source_of_socket(int fd, enum source *source)
{
	struct sockaddr_storage peer;
	socklen_t peer_size = sizeof peer;
	int type = 0;
	socklen_t size = sizeof type;

	*source = SOURCE_INHERITED;
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
		return false;
	if (type != SOCK_STREAM)
		return true;
	if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
		return errno == ENOTCONN;
	*source = SOURCE_SOCKET;
	return true;
}

static bool
source_of(int fd, enum source *source)
{
	struct stat stat;
	int flags;

	*source = SOURCE_INHERITED;
	if (fstat(fd, &stat) != 0)
		return errno == EBADF;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return false;
	if ((flags & O_ACCMODE) == O_WRONLY || descriptor_is_place(flags))
		return true;
	if (S_ISSOCK(stat.st_mode))
		return source_of_socket(fd, source);
	if (S_ISREG(stat.st_mode))
		*source = SOURCE_FILE;
	else if (S_ISFIFO(stat.st_mode))
		*source = SOURCE_PIPE;
	return true;
}

bool
source_start(enum source *source)
{
	if (!source_of(STDIN_FILENO, source))
		return false;
	is_socket = *source == SOURCE_SOCKET;
	if (*source != SOURCE_PIPE)
		return true;
	reader = fd_reopen(STDIN_FILENO, O_RDONLY | O_NONBLOCK);
	if (reader < 0)
		reader = STDIN_FILENO;
	return true;
}

static ssize_t
receive(char *buffer, int64_t most, int flags)
{
	ssize_t count;

	RETRY_EINTR(count,
	    recv(STDIN_FILENO, buffer, (size_t)most, flags | MSG_DONTWAIT));
	return count;
}

int64_t
source_peek(char *buffer, int64_t most)
{
	return receive(buffer, most, MSG_PEEK);
}

int64_t
source_read(char *buffer, int64_t most)
{
	struct pollfd waited = { .fd = reader, .events = POLLIN };
	ssize_t count;

	if (is_socket)
		return receive(buffer, most, 0);
	if (reader == STDIN_FILENO && poll(&waited, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	RETRY_EINTR(count, read(reader, buffer, (size_t)most));
	return count;
}

bool
source_is_empty(void)
{
	return peek_count(STDIN_FILENO) == 0;
}
