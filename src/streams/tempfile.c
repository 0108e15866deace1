/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/text.h"
#include "process/fd.h"
#include "streams/tempfile.h"

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

	text_join(&text, tempfile_directory(), "/", prefix, "XXXXXX");
	return fd_out_of_the_way(mkostemp(path, flags | O_CLOEXEC));
}

/* For file systems without O_TMPFILE: the file has a name for a moment. */
static int
open_and_unlink(int flags)
{
	char path[PATH_MAX];
	int fd = tempfile_named("backoff-", flags, path, sizeof path);

	if (fd >= 0)
		unlink(path);
	return fd;
}

static int
open_without_name(int flags)
{
#if HAVE_DECL_O_TMPFILE
	return open(
	    tempfile_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
#else
	(void)flags;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

int
tempfile_open(int flags)
{
	int fd = open_without_name(flags);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		return open_and_unlink(flags);
	return fd_out_of_the_way(fd);
}
