/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>

#include "system/file_news.h"

int
file_news_watch(int fd)
{
	(void)fd;
	errno = ENOSYS;
	return -1;
}

bool
file_has_writers(int fd)
{
	(void)fd;
	return true;
}
