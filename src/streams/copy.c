/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include "process/signals.h"
#include "streams/copy.h"
#include "system/system.h"

#define CHUNK 65536
#define SPLICE 1048576 /* so much that large pages are passed whole */

/* Copies from OFFSET to SIZE with read(2) and write(2). */
static enum written
copy_rest(const struct outlet *to, int file, off_t offset, off_t size,
    int64_t until_ns)
{
	char buffer[CHUNK];
	enum written end = WRITTEN_ALL;

	while (offset < size && end == WRITTEN_ALL) {
		size_t most
		    = size - offset < CHUNK ? (size_t)(size - offset) : CHUNK;
		ssize_t count;
		size_t left;

		RETRY_EINTR(count, pread(file, buffer, most, offset));
		left = (size_t)count;
		if (count == 0)
			errno = EIO;
		if (count <= 0)
			return WRITTEN_FAILED;
		offset += count;
		end = outlet_put(to, buffer, &left, until_ns);
	}
	return end;
}

/*
 * Copies into a pipe without touching the bytes, as far as that works. Sets
 * *OFFSET to where it ended.
 */
static enum written
splice_file(int to, int file, off_t *offset, off_t size, int64_t until_ns)
{
	ssize_t moved = 1;

	while (*offset < size && moved != 0) {
		off_t most = size - *offset < SPLICE ? size - *offset : SPLICE;

		moved = copy_to_pipe(to, file, offset, (size_t)most);
		if (moved >= 0 || errno == EINTR)
			continue;
		if (errno != EAGAIN)
			break;
		if (signals_await_room(to, until_ns) != WAKE_DESCRIPTOR)
			return WRITTEN_PART;
	}
	return WRITTEN_ALL;
}

bool
ends_line(int file, off_t size)
{
	char last;

	return size <= 0 || pread(file, &last, 1, size - 1) != 1
	    || last == '\n';
}

enum written
copy_file(int to, int file, off_t size, int64_t until_ns)
{
	off_t offset = 0;
	enum written end = splice_file(to, file, &offset, size, until_ns);
	struct outlet outlet;
	int error;

	if (end != WRITTEN_ALL || offset >= size)
		return end;
	outlet = outlet_of(to);
	end = copy_rest(&outlet, file, offset, size, until_ns);
	error = errno;
	outlet_close(&outlet);
	errno = error;
	return end;
}
