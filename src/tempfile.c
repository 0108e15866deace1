/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "descriptor.h"
#include "tempfile.h"
#include "text.h"

/* For file systems that have no O_TMPFILE: a name, for a moment. */
static int
open_named(const char *directory, int flags)
{
	char path[PATH_MAX];
	struct text text = text_in(path, sizeof path);
	int fd;

	text_add(&text, directory);
	text_add(&text, "/backoff-XXXXXX");
	fd = mkostemp(path, flags | O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int
tempfile_open(int flags)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (directory == NULL || *directory == '\0')
		directory = "/var/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_named(directory, flags);
	return descriptor_out_of_the_way(fd);
}
