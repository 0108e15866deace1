/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/process_facts.h"

#define US_PER_S 1000000

bool
process_from_stat(struct process *process, const char *line)
{
	/* The name is between the first "(" and the last ")". */
	const char *begin = strchr(line, '('), *end = strrchr(line, ')');
	size_t length;
	char state;
	int threads;

	*process = (struct process) { .pid = (pid_t)strtol(line, NULL, 10) };
	if (process->pid <= 0 || begin == NULL || end == NULL || end < begin)
		return false;
	length = (size_t)(end - ++begin);
	if (length > sizeof process->name - 1)
		length = sizeof process->name - 1;
	memcpy(process->name, begin, length);
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
process_from_facts(struct process *process, const struct process_facts *facts)
{
	size_t length = 0;

	*process = (struct process) {
		.pid = facts->pid,
		.parent = facts->parent,
		.is_zombie = facts->is_zombie,
		.is_stopped = facts->is_stopped,
	};
	if (facts->pid <= 0 || facts->start_s < 0
	    || facts->start_s > INT64_MAX / US_PER_S - 1 || facts->start_us < 0
	    || facts->start_us >= US_PER_S)
		return false;
	process->start = (unsigned long long)facts->start_s * US_PER_S
	    + (unsigned long long)facts->start_us;
	while (length < facts->name_size && length < PROCESS_NAME - 1
	    && facts->name[length] != '\0')
		length++;
	memcpy(process->name, facts->name, length);
	return true;
}

/* Behind the next NUL before END. NULL: there is none. */
static const char *
skip_string(const char *at, const char *end)
{
	at = memchr(at, '\0', (size_t)(end - at));
	return at != NULL ? at + 1 : NULL;
}

const char *
process_facts_environment(const char *block, size_t size, size_t *length)
{
	const char *at, *end = block + size;
	int arguments;

	*length = 0;
	if (size < sizeof arguments)
		return NULL;
	memcpy(&arguments, block, sizeof arguments);
	at = skip_string(block + sizeof arguments, end);
	/*
	 * How long the padding is depends on where the kernel had the path: an
	 * empty first argument looks like a part of it.
	 */
	while (at != NULL && at < end && *at == '\0')
		at++;
	for (int i = 0; i < arguments && at != NULL; i++)
		at = skip_string(at, end);
	if (arguments < 0 || at == NULL || at == end)
		return NULL;
	*length = (size_t)(end - at);
	return at;
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
