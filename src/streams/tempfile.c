/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/text.h"
#include "streams/tempfile.h"
#include "system/system.h"

const char *
tempfile_directory(void)
{
	const char *chosen = getenv("TMPDIR");

	return chosen != NULL && *chosen != '\0' ? chosen : "/var/tmp";
}

int
tempfile_named(const char *prefix, int flags, char *path, size_t size)
{
	struct text text = text_in(path, size);
	int fd;

	text_join(&text, tempfile_directory(), "/", prefix, "XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, flags);
	}
	return fd_out_of_the_way(fd);
}

/* Where all files have names: this one has it for a moment. */
static int
open_and_unlink(int flags)
{
	char path[PATH_MAX];
	int fd = tempfile_named("backoff-", flags, path, sizeof path);

	if (fd >= 0)
		unlink(path);
	return fd;
}

int
tempfile_open(int flags)
{
	int fd = unnamed_file_open(tempfile_directory(), flags);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		return open_and_unlink(flags);
	return fd_out_of_the_way(fd);
}
