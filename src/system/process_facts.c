/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/base.h"
#include "system/system.h"

#define MOST_ANCESTORS 4096

bool
process_from_stat(struct process *process, const char *line)
{
	/* The name is between the first "(" and the last ")". */
	const char *begin = strchr(line, '('), *end = strrchr(line, ')');
	struct text name = text_in(process->name, sizeof process->name);
	char state;
	int threads;

	*process = (struct process) { .pid = (pid_t)strtol(line, NULL, 10) };
	if (process->pid <= 0 || begin == NULL || end == NULL || end < begin)
		return false;
	text_part(&name, begin + 1, (size_t)(end - begin - 1));
	/* Fields 3, 4, 20 and 22 of proc(5). */
	if (sscanf(end + 1,
	        " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
	        "%*s %*s %d %*s %llu",
	        &state, &process->parent, &threads, &process->start)
	    != 4)
		return false;
	process->is_stopped = state == 'T' || state == 't';
	/* The main thread may end before the others do. */
	process->is_zombie = (state == 'Z' || state == 'X') && threads <= 1;
	return true;
}

bool
process_block_has(const char *block, size_t size, const char *entry)
{
	const char *at = block + sizeof(int), *end = block + size;
	int arguments;

	if (size < sizeof arguments)
		return false;
	memcpy(&arguments, block, sizeof arguments);
	if (arguments < 0)
		return false;
	at += strlen(at) + 1;
	/*
	 * How long the padding is depends on where the kernel had the path: an
	 * empty first argument looks like a part of it.
	 */
	while (at < end && *at == '\0')
		at++;
	for (; at < end; at += strlen(at) + 1)
		if (arguments-- <= 0 && strcmp(at, entry) == 0)
			return true;
	return false;
}

bool
process_may_be_ancestor(int64_t pid)
{
	struct process process = { .parent = getppid() };

	/* A chain that changes while it is read may loop. */
	for (int i = 0; process.parent > 0 && i < MOST_ANCESTORS; i++)
		if (process.parent == pid
		    || !process_read(&process, process.parent))
			return true;
	return !processes_can_be_seen();
}
