/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "streams/input_source.h"

static bool
is_connected_stream(int fd)
{
	struct sockaddr_storage peer;
	socklen_t peer_size = sizeof peer;
	int type = 0;
	socklen_t size = sizeof type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0
	    && type == SOCK_STREAM
	    && getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0;
}

enum source
source_of(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) != 0
	    || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
		return SOURCE_INHERITED;
	if (S_ISREG(stat.st_mode))
		return SOURCE_FILE;
	if (S_ISFIFO(stat.st_mode))
		return SOURCE_PIPE;
	if (S_ISSOCK(stat.st_mode) && is_connected_stream(fd))
		return SOURCE_SOCKET;
	return SOURCE_INHERITED;
}
