/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "system/messages.h"

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
	const char *end;

	if (count <= 0)
		return count;
	end = memchr(words, *END, (size_t)count);
	if (end == NULL) {
		errno = EPROTO;
		return -1;
	}
	return recv(fd, words, (size_t)(end - words) + strlen(END), 0)
	    - (ssize_t)strlen(END);
}
