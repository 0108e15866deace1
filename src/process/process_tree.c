/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/process_tree.h"

void
process_tree_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* The process of a directory of /proc; pid 0 where it is none, or gone. */
static struct process
read_process(int proc, const char *name)
{
	struct process process = { 0 };
	char path[300], line[1024];
	char state;
	const char *fields;
	ssize_t length;
	int fd;

	if (name[0] < '1' || name[0] > '9')
		return process;
	snprintf(path, sizeof path, "%s/stat", name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return process;
	length = read(fd, line, sizeof line - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	/* A command name may hold anything, parentheses too. */
	fields = strrchr(line, ')');
	if (fields != NULL
	    && sscanf(fields,
	           ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u "
	           "%*u %*d %*d %*d %*d %*d %*d %llu",
	           &state, &process.parent, &process.start)
	        == 3) {
		process.pid = (pid_t)strtol(name, NULL, 10);
		process.zombie = state == 'Z' || state == 'X';
	}
	return process;
}

/* Every process there is; as many as memory holds. */
static struct processes
read_all(void)
{
	struct processes all = { 0 };
	size_t room = 0;
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	if (directory == NULL)
		return all;
	while ((entry = readdir(directory)) != NULL) {
		struct process process
		    = read_process(dirfd(directory), entry->d_name);

		if (process.pid == 0)
			continue;
		if (all.count == room) {
			struct process *list;

			room = room * 2 + 64;
			list = realloc(all.list, room * sizeof *list);
			if (list == NULL)
				break;
			all.list = list;
		}
		all.list[all.count++] = process;
	}
	closedir(directory);
	return all;
}

static bool
is_spared(const struct processes *preexisting, const struct process *process)
{
	for (size_t i = 0; i < preexisting->count; i++)
		if (preexisting->list[i].pid == process->pid
		    && preexisting->list[i].start == process->start)
			return true;
	return false;
}

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = ((const struct process *)a)->pid;
	pid_t right = ((const struct process *)b)->pid;

	return (left > right) - (left < right);
}

/* The kernel lists /proc in the order of pids. */
static bool
is_below(const struct processes *all, pid_t pid)
{
	const struct process wanted = { .pid = pid };
	const struct process *found = all->count == 0
	    ? NULL
	    : bsearch(
	        &wanted, all->list, all->count, sizeof wanted, compare_pids);

	return found != NULL && found->below;
}

/* Marks what is below us, but not what is spared, nor what is below that. */
static struct processes
read_tree(const struct processes *preexisting)
{
	struct processes all = read_all();
	pid_t self = getpid();
	bool found;

	do {
		found = false;
		for (size_t i = 0; i < all.count; i++) {
			struct process *process = &all.list[i];

			if (process->below
			    || !(process->parent == self
			        || is_below(&all, process->parent))
			    || is_spared(preexisting, process))
				continue;
			process->below = found = true;
		}
	} while (found);
	return all;
}

struct processes
process_tree_before(void)
{
	static const struct processes none;
	struct processes tree = { 0 };
	siginfo_t info;
	size_t count = 0;

	/* The usual case costs one call: we have no children at all. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return tree;
	tree = read_tree(&none);
	for (size_t i = 0; i < tree.count; i++)
		if (tree.list[i].below)
			tree.list[count++] = tree.list[i];
	tree.count = count;
	return tree;
}

size_t
process_tree_signal(
    const struct processes *preexisting, pid_t command, int signal)
{
	struct processes tree = read_tree(preexisting);
	size_t sent = 0;

	if (command != 0 && kill(command, signal) == 0)
		sent++;
	for (size_t i = 0; i < tree.count; i++)
		if (tree.list[i].below && !tree.list[i].zombie
		    && tree.list[i].pid != command
		    && kill(tree.list[i].pid, signal) == 0)
			sent++;
	free(tree.list);
	return sent;
}

/* The name that ps(1) has for it; it may be gone. */
static void
read_name(struct killed *left)
{
	char path[40];
	ssize_t length = 0;
	int fd;

	snprintf(path, sizeof path, "/proc/%lld/comm", (long long)left->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, left->name, sizeof left->name - 1);
		close(fd);
	}
	left->name[length > 0 ? length : 0] = '\0';
	left->name[strcspn(left->name, "\n")] = '\0';
}

struct killed
process_tree_left(const struct processes *preexisting, pid_t command)
{
	struct processes tree = read_tree(preexisting);
	struct killed left = { .count = command != 0, .pid = command };

	for (size_t i = 0; i < tree.count; i++) {
		const struct process *process = &tree.list[i];

		if (!process->below || process->zombie
		    || process->pid == command)
			continue;
		if (left.count++ == 0)
			left.pid = process->pid;
	}
	free(tree.list);
	if (left.count > 0)
		read_name(&left);
	return left;
}
