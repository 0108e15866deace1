/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include "streams/input_spool.h"
#include "streams/tempfile.h"
#include "system/system.h"

static struct {
	int64_t limit;
	int64_t size;
	int file; /* -1 before it is needed */
	struct input_fate fate; /* in all attempts */
} spool = { .file = -1 };

void
spool_start(int64_t limit)
{
	spool.limit = limit;
}

void
spool_lose(int error)
{
	if (spool.fate.lost)
		return;
	spool.fate.lost = true;
	spool.fate.error = error;
	fd_close(&spool.file);
}

void
spool_was_read(int64_t until)
{
	if (until > spool.fate.taken)
		spool.fate.taken = until;
	if (spool.fate.taken > spool.limit)
		spool_lose(0);
}

void
spool_keep(const char *bytes, int64_t count)
{
	if (spool.fate.lost)
		return;
	if (spool.file < 0)
		spool.file = tempfile_open(0);
	if (spool.file < 0) {
		spool_lose(errno);
		return;
	}
	while (count > 0) {
		ssize_t written;

		RETRY_EINTR(written,
		    pwrite(spool.file, bytes, (size_t)count, spool.size));
		if (written <= 0) {
			spool_lose(written == 0 ? ENOSPC : errno);
			return;
		}
		bytes += written;
		spool.size += written;
		count -= written;
	}
}

int64_t
spool_read(char *bytes, int64_t count, int64_t offset)
{
	ssize_t got;

	RETRY_EINTR(got, pread(spool.file, bytes, (size_t)count, offset));
	return got;
}

struct input_fate
spool_fate(void)
{
	spool.fate.directory = tempfile_directory();
	return spool.fate;
}
