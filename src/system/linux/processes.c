/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"
#include "system/fd.h"
#include "system/processes.h"

bool
processes_are_shown(void)
{
	return true;
}

bool
processes_can_be_seen(void)
{
	static int known = -1;
	char self[24] = "";

	if (known < 0)
		known = readlink("/proc/self", self, sizeof self - 1) > 0
		    && strcmp(self, NUMBER(getpid())) == 0;
	return known == 1;
}

int64_t
processes_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) == 0
	    ? (int64_t)stat_of.st_ino
	    : 0;
}

/* The file NAME of the process in /proc. */
static const char *
file_of(pid_t pid, const char *name)
{
	static char path[48];
	struct text text = text_in(path, sizeof path);

	text_join(&text, "/proc/", NUMBER(pid), "/", name);
	return path;
}

/*
 * A child of ours that /proc hides (hidepid), as it has become another user's,
 * is there until we reap it.
 */
static bool
read_hidden_child(struct process *process, pid_t pid)
{
	siginfo_t info = { 0 };

	*process = (struct process) { .pid = pid, .parent = getpid() };
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
	    && info.si_pid == 0;
}

bool
process_read(struct process *process, pid_t pid)
{
	/* Fifty numbers and a name; one read(2) returns all of it. */
	char line[1280];
	ssize_t length
	    = fd_read_file(file_of(pid, "stat"), line, sizeof line - 1);

	if (length <= 0)
		return read_hidden_child(process, pid);
	line[length] = '\0';
	return process_parse(process, line);
}

/* Those of our children that are not listed in /proc. */
static void
each_hidden_child(bool (*each)(pid_t pid, void *what), void *what)
{
	char list[4096] = "", *rest = list;
	pid_t pid;

	fd_read_file("/proc/thread-self/children", list, sizeof list - 1);
	while ((pid = (pid_t)strtol(rest, &rest, 10)) > 0)
		if (access(file_of(pid, ""), F_OK) != 0 && !each(pid, what))
			break;
}

void
processes_each(bool (*each)(pid_t pid, void *what), void *what)
{
	DIR *directory = processes_can_be_seen() ? opendir("/proc") : NULL;
	struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
		    && !each((pid_t)strtol(entry->d_name, NULL, 10), what))
			break;
	if (directory == NULL)
		return;
	closedir(directory);
	each_hidden_child(each, what);
}

/* All that FD has, up to its end. */
static char *
read_all(int fd, size_t *length)
{
	size_t size = 1 << 16;
	char *block = malloc(size), *larger;
	ssize_t count = -1;

	*length = 0;
	while (block != NULL
	    && (count = read(fd, block + *length, size - *length)) > 0) {
		*length += (size_t)count;
		if (*length < size)
			continue;
		larger = realloc(block, size *= 2);
		if (larger == NULL)
			break;
		block = larger;
	}
	if (count == 0)
		return block;
	free(block);
	return NULL;
}

char *
process_environment(pid_t pid, size_t *length)
{
	int fd = open(file_of(pid, "environ"), O_RDONLY | O_CLOEXEC);
	char *block;

	if (fd < 0)
		return NULL;
	block = read_all(fd, length);
	close(fd);
	return block;
}

bool
processes_adopt_orphans(void)
{
#if HAVE_DECL_PR_SET_CHILD_SUBREAPER
	return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#else
	return false;
#endif
}

bool
process_own_program(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

void
process_dumps_no_core(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}
