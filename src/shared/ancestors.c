/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <fcntl.h>
#include <unistd.h>

#include "core/process_tree_mark.h"
#include "core/text.h"
#include "shared/ancestors.h"

#define MOST_ANCESTORS \
	4096 /* a chain that changes while it is read may loop \
	      */

/* The parent of PID, or 0. */
static pid_t
parent_of(pid_t pid)
{
	char path[40], line[512];
	struct text text = text_in(path, sizeof path);
	struct process process;
	ssize_t size;
	int fd;

	text_add(&text, "/proc/");
	text_number(&text, pid);
	text_add(&text, "/stat");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, line, sizeof line - 1);
	close(fd);
	if (size <= 0)
		return 0;
	line[size] = '\0';
	return process_parse(&process, line) ? process.parent : 0;
}

bool
is_ancestor(pid_t pid)
{
	pid_t at = getppid();

	for (int i = 0; at > 0 && i < MOST_ANCESTORS; i++) {
		if (at == pid)
			return true;
		at = parent_of(at);
	}
	return false;
}
