/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"

/* The process that adopts orphans if nobody else does. */
#define INIT 1

/* Whether PROCESS is one of PROCESSES, by pid and start. */
static bool
processes_have(const struct processes *processes, const struct process *process)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->list[i].pid == process->pid
		    && processes->list[i].start == process->start)
			return true;
	return false;
}

bool
process_needs_mark(
    const struct process_tree *tree, const struct process *process)
{
	pid_t adopter = tree->loses_orphans ? INIT : tree->self;

	return (tree->preexisting.count > 0 || adopter == INIT)
	    && process->parent == adopter && process->pid != tree->self
	    && process->pid != tree->command
	    && !processes_have(&tree->preexisting, process)
	    && !processes_have(&tree->known, process);
}

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = ((const struct process *)a)->pid;
	pid_t right = ((const struct process *)b)->pid;

	return (left > right) - (left < right);
}

/* The one of SORTED that has PID, or NULL. */
static const struct process *
find_pid(const struct processes *sorted, pid_t pid)
{
	const struct process wanted = { .pid = pid };

	return sorted->count == 0
	    ? NULL
	    : bsearch(&wanted, sorted->list, sorted->count, sizeof wanted,
	        compare_pids);
}

static bool
belongs(const struct processes *all, const struct process_tree *tree,
    const struct process *process)
{
	const struct process *parent;

	if (processes_have(&tree->known, process))
		return true;
	if (processes_have(&tree->preexisting, process))
		return false;
	if (process_needs_mark(tree, process))
		return process->has_mark;
	if (process->parent == tree->self)
		return true;
	parent = find_pid(all, process->parent);
	return parent != NULL && parent->in_tree;
}

void
process_tree_find(struct processes *all, const struct process_tree *tree)
{
	bool found = all->count > 0;

	if (found)
		qsort(all->list, all->count, sizeof *all->list, compare_pids);
	/* Several passes, as a child can have a lower pid than its parent. */
	while (found) {
		found = false;
		for (size_t i = 0; i < all->count; i++) {
			struct process *process = &all->list[i];

			if (process->in_tree || !belongs(all, tree, process))
				continue;
			process->in_tree = found = true;
		}
	}
}

static struct processes preexisting; /* not to be signalled */

struct reading {
	struct processes all; /* that were read */
	size_t room; /* in their list */
	const struct process_tree *tree;
};

/* Adds a process, unless it is gone or the helper, or there is no memory. */
static void
read_one(pid_t pid, void *what)
{
	struct reading *reading = what;
	struct processes *all = &reading->all;
	struct process process, *list;

	if (!process_read(&process, pid) || process.pid == helper.pid)
		return;
	if (process_needs_mark(reading->tree, &process))
		process.has_mark
		    = process_was_given(process.pid, environment_id());
	if (all->count == reading->room) {
		list = realloc(
		    all->list, (reading->room * 2 + 64) * sizeof *list);
		if (list == NULL)
			return;
		reading->room = reading->room * 2 + 64;
		all->list = list;
	}
	all->list[all->count++] = process;
}

/*
 * Reads the tree, or as much of it as there is memory for, sorted by pid.
 * False: processes cannot be seen, or no descriptors are left for that.
 */
static bool
read_tree(struct processes *found, const struct process_tree *tree)
{
	struct reading reading = { .tree = tree };
	const struct processes *all = &reading.all;

	processes_each(read_one, &reading);
	process_tree_find(&reading.all, tree);
	*found = (struct processes) { .list = all->list };
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].in_tree)
			found->list[found->count++] = all->list[i];
	return all->count > 0;
}

void
process_tree_spare(void)
{
	const struct process_tree all = { .self = getpid() };

	/* No mark is needed: COMMAND has not started anything yet. */
	read_tree(&preexisting, &all);
}

/*
 * As kill(2). The handle stands for the process that has the pid now. Its start
 * time, read after that, shows whether it is the process that was meant, so the
 * signal reaches no other, even if the pid is reused.
 */
static int
signal_process(const struct process *process, int signal)
{
	int handle = handle_open(process->pid), result = -1;
	struct process now;

	if (process_read(&now, process->pid) && now.start == process->start
	    && !now.is_zombie)
		result = handle_signal(handle, process->pid, signal);
	else
		errno = ESRCH;
	fd_close(&handle);
	return result;
}

/* Counts a process, to which kill(2) or the like has returned RESULT. */
static void
tally(struct census *census, const struct process *process, int result)
{
	struct named_process named = { .pid = process->pid };

	memcpy(named.name, process->name, sizeof named.name);
	if (result == 0 && census->reached++ == 0)
		census->met = named;
	else if (result != 0 && errno == EPERM && census->refused++ == 0)
		census->unended = named;
}

/*
 * The group is COMMAND's from its first look to its end, and its number is
 * nobody else's as long as it has a member.
 */
static struct census
signal_unseen(struct process_tree *tree, int signal)
{
	struct census census = { .unseen = true };
	struct process leader = { .pid = tree->command };

	if (leader.pid != 0 && getpgid(leader.pid) == leader.pid)
		tree->group = leader.pid;
	if (tree->group != 0) {
		leader.pid = tree->group;
		tally(&census, &leader, kill(-tree->group, signal));
	} else if (leader.pid != 0) {
		tally(&census, &leader, kill(leader.pid, signal));
	}
	return census;
}

struct census
process_tree_signal(struct process_tree *tree, pid_t command, int signal)
{
	struct census census = { 0 };
	struct process unnamed = { .pid = command };
	const struct process *first;
	struct processes now;

	tree->self = getpid();
	tree->command = command;
	tree->preexisting = preexisting;
	if (!read_tree(&now, tree))
		return signal_unseen(tree, signal);
	first = find_pid(&now, command);
	/* COMMAND has not been reaped, so its pid cannot be reused. */
	if (command != 0)
		tally(&census, first != NULL ? first : &unnamed,
		    kill(command, signal));
	for (size_t i = 0; i < now.count; i++)
		if (now.list[i].pid != command && !now.list[i].is_zombie)
			tally(&census, &now.list[i],
			    signal_process(&now.list[i], signal));
	free(tree->known.list);
	tree->known = now;
	return census;
}
