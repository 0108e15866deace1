/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/judge/process_tree_mark.h"

/* The numbers of the fields, as proc(5) counts them. */
enum field {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_THREADS = 20,
	FIELD_START = 22,
};

/* The name stands from the first "(" to the last ")". */
static const char *
parse_name(struct process *process, const char *line)
{
	const char *begin = strchr(line, '(');
	const char *end = strrchr(line, ')');
	size_t length;

	if (begin == NULL || end == NULL || end < begin)
		return NULL;
	length = (size_t)(end - ++begin);
	if (length > sizeof process->name - 1)
		length = sizeof process->name - 1;
	memcpy(process->name, begin, length);
	process->name[length] = '\0';
	return end + 1;
}

bool
process_parse(struct process *process, const char *line)
{
	const char *rest;
	char state = '\0';
	unsigned long long value;
	char *end;

	*process = (struct process) { .pid = (pid_t)strtol(line, NULL, 10) };
	rest = parse_name(process, line);
	if (process->pid <= 0 || rest == NULL)
		return false;
	for (int field = FIELD_STATE; field <= FIELD_START; field++) {
		if (*rest++ != ' ' || *rest == '\0')
			return false;
		if (field == FIELD_STATE) {
			state = *rest++;
			process->is_stopped = state == 'T' || state == 't';
			continue;
		}
		value = strtoull(rest, &end, 10);
		if (end == rest)
			return false;
		rest = end;
		if (field == FIELD_PARENT)
			process->parent = (pid_t)value;
		else if (field == FIELD_THREADS)
			/* The main thread may end before the others do. */
			process->is_zombie
			    = (state == 'Z' || state == 'X') && value <= 1;
		else if (field == FIELD_START)
			process->start = value;
	}
	return true;
}

/* By pid and start. */
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
    const struct ancestry *ancestry, const struct process *process)
{
	return (ancestry->preexisting.count > 0
	           || ancestry->adopter != ancestry->self)
	    && process->parent == ancestry->adopter
	    && process->pid != ancestry->self
	    && process->pid != ancestry->command
	    && !processes_have(&ancestry->preexisting, process)
	    && !processes_have(&ancestry->known, process);
}

bool
process_environ_has(const char *block, size_t length, const char *entry)
{
	size_t wanted = strlen(entry);

	while (length > 0) {
		const char *end = memchr(block, '\0', length);
		size_t size = end != NULL ? (size_t)(end - block) : length;

		if (size == wanted && memcmp(block, entry, wanted) == 0)
			return true;
		if (end == NULL)
			break;
		block += size + 1;
		length -= size + 1;
	}
	return false;
}

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = ((const struct process *)a)->pid;
	pid_t right = ((const struct process *)b)->pid;

	return (left > right) - (left < right);
}

static bool
is_in_tree(const struct processes *all, pid_t pid)
{
	const struct process wanted = { .pid = pid };
	const struct process *found = bsearch(
	    &wanted, all->list, all->count, sizeof wanted, compare_pids);

	return found != NULL && found->in_tree;
}

static bool
belongs(const struct processes *all, const struct ancestry *ancestry,
    const struct process *process)
{
	if (processes_have(&ancestry->known, process))
		return true;
	if (processes_have(&ancestry->preexisting, process))
		return false;
	if (process_needs_mark(ancestry, process))
		return process->has_mark;
	if (process->parent == ancestry->self)
		return true;
	return is_in_tree(all, process->parent);
}

/* /proc lists them in this order, so insertion sort has little to do. */
static void
sort_by_pid(struct processes *all)
{
	for (size_t i = 1; i < all->count; i++) {
		struct process process = all->list[i];
		size_t place = i;

		for (; place > 0 && all->list[place - 1].pid > process.pid;
		     place--)
			all->list[place] = all->list[place - 1];
		all->list[place] = process;
	}
}

void
process_tree_mark(struct processes *all, const struct ancestry *ancestry)
{
	bool found = all->count > 0;

	sort_by_pid(all);
	/* Several passes, as a child can have a lower pid than its parent. */
	while (found) {
		found = false;
		for (size_t i = 0; i < all->count; i++) {
			struct process *process = &all->list[i];

			if (process->in_tree
			    || !belongs(all, ancestry, process))
				continue;
			process->in_tree = found = true;
		}
	}
}
