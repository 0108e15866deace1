/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/base.h"
#include "system/system.h"

/* poll(2) is late by this much only if backoff could not run meanwhile. */
#define STOOD_STILL_NS (100 * NS_PER_MS)

int
fd_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);

	/* A limit of ten descriptors or fewer leaves none above 9. */
	return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int
fd_out_of_the_way(int fd)
{
	int copy;

	if (fd < 0 || fd >= 10)
		return fd;
	copy = fd_copy(fd);
	if (copy < 0)
		return fd;
	close(fd);
	return copy;
}

bool
fd_same_file(int a, int b)
{
	struct stat left, right;

	return fstat(a, &left) == 0 && fstat(b, &right) == 0
	    && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

void
fd_close(int *fd)
{
	int error = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = error;
}

void
fd_close_from(int first)
{
	long most = sysconf(_SC_OPEN_MAX);

	if (descriptors_close_from(first))
		return;
	if (most < 0 || most > 65536)
		most = 65536;
	for (int fd = first; fd < most; fd++)
		close(fd);
}

bool
fd_await(int fd, short events, int64_t until_ns)
{
	struct pollfd watched = { .fd = fd, .events = events };
	int64_t left_ns, now_ns = clock_now_ns();
	int ready;

	while ((left_ns = until_ns - now_ns) > 0) {
		ready = poll(&watched, 1, (int)(left_ns / NS_PER_MS) + 1);
		if (ready > 0)
			return true;
		now_ns = clock_now_ns();
		if (ready == 0 && now_ns - until_ns > STOOD_STILL_NS)
			until_ns = now_ns + left_ns;
	}
	return false;
}

ssize_t
fd_read_file(const char *path, void *bytes, size_t size)
{
	/* O_NONBLOCK: a FIFO without a writer would block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t count = fd >= 0 ? read(fd, bytes, size) : -1;

	fd_close(&fd);
	return count;
}

/* --- messages --- */

/* Not every system has sockets that keep messages apart: so a newline does. */
#define END "\n"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* there SO_NOSIGPIPE does it */
#endif

static void
settle(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
	setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int) { 1 }, sizeof(int));
#endif
}

bool
messages_pair(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return false;
	settle(ends[0]);
	settle(ends[1]);
	return true;
}

bool
message_send(int fd, const char *words, size_t length)
{
	struct iovec parts[] = {
		{ .iov_base = (void *)(uintptr_t)words, .iov_len = length },
		{ .iov_base = (void *)(uintptr_t)END, .iov_len = strlen(END) },
	};
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT)
	    == (ssize_t)(length + strlen(END));
}

/* An end that sends one message writes it whole, so it is there whole. */
ssize_t
message_receive(int fd, char *words, size_t size)
{
	ssize_t count = recv(fd, words, size, MSG_PEEK);
	const char *end = count > 0 ? memchr(words, *END, (size_t)count) : NULL;

	if (end == NULL)
		return -1;
	return recv(fd, words, (size_t)(end - words) + strlen(END), 0)
	    - (ssize_t)strlen(END);
}
