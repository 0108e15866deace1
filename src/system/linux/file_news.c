/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/text.h"
#include "system/file_news.h"

int
file_news_watch(int fd)
{
	const char *path = JOINED(40, "/proc/self/fd/", NUMBER(fd));
	int news = inotify_init1(IN_CLOEXEC);

	if (news < 0 || inotify_add_watch(news, path, IN_MODIFY) >= 0)
		return news;
	close(news);
	return -1;
}

/* The kernel grants a read lease only if nobody can write. */
bool
file_has_writers(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}
