/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "streams/copy.h"

#define CHUNK 65536
#define SPLICE 1048576 /* large pages of the cache pass whole */

/* Whether a write that failed is worth another try, once there is room. */
static bool
wait_for_room(int to)
{
	struct pollfd wanted = { .fd = to, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	/* Somebody has made the shared description non-blocking. */
	return errno == EAGAIN && (poll(&wanted, 1, -1) > 0 || errno == EINTR);
}

/* All of BYTES. */
static bool
copy_bytes(int to, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(to, bytes, count);

		if (written < 0 && !wait_for_room(to))
			return false;
		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		}
	}
	return true;
}

/* By read and write, from OFFSET to SIZE. */
static bool
copy_rest(int to, int file, off_t offset, off_t size)
{
	char buffer[CHUNK];

	while (offset < size) {
		size_t most
		    = size - offset < CHUNK ? (size_t)(size - offset) : CHUNK;
		ssize_t count = pread(file, buffer, most, offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count == 0)
			errno = EIO;
		if (count <= 0 || !copy_bytes(to, buffer, (size_t)count))
			return false;
		offset += count;
	}
	return true;
}

/*
 * Into a pipe without touching the bytes, as long as that goes well: it
 * does not where the target is anything else.
 */
bool
copy_file(int to, int file, off_t size)
{
	off_t offset = 0;
	ssize_t moved = 1;

	while (offset < size && moved > 0) {
		off_t most = size - offset < SPLICE ? size - offset : SPLICE;

		moved = splice(file, &offset, to, NULL, (size_t)most, 0);
	}
	return copy_rest(to, file, offset, size);
}
