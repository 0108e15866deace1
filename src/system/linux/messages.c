/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/socket.h>

#include "system/messages.h"

bool
messages_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
}

bool
message_send(int fd, const char *words, size_t length)
{
	return send(fd, words, length, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

ssize_t
message_receive(int fd, char *words, size_t size)
{
	return recv(fd, words, size, 0);
}
