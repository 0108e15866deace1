/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/text.h"
#include "system/processes.h"
#include "system/unnamed_file.h"

int
unnamed_file_open(const char *directory, int flags)
{
#if HAVE_DECL_O_TMPFILE
	return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
#else
	(void)directory;
	(void)flags;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

int
unnamed_file_in_memory(void)
{
#if HAVE_DECL_MEMFD_CREATE
	if (processes_can_be_seen())
		return memfd_create("backoff-hint", MFD_CLOEXEC);
#endif
	return -1;
}

void
unnamed_file_name(int fd, char *path, size_t size)
{
	struct text text = text_in(path, size);

	text_join(&text, "/proc/", NUMBER(getpid()), "/fd/", NUMBER(fd));
}
