/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/judge/process_facts.h"

#define US_PER_S 1000000

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

/* What is left of a block. */
struct rest {
	const char *at;
	size_t size;
};

/* Moves behind the next NUL. False: there is none. */
static bool
skip_string(struct rest *rest)
{
	const char *end = memchr(rest->at, '\0', rest->size);

	if (end == NULL)
		return false;
	rest->size -= (size_t)(end + 1 - rest->at);
	rest->at = end + 1;
	return true;
}

/*
 * How long the padding is depends on where the kernel had the path, so that an
 * empty first argument looks like a part of it.
 */
static void
skip_padding(struct rest *rest)
{
	while (rest->size > 0 && *rest->at == '\0') {
		rest->at++;
		rest->size--;
	}
}

const char *
process_facts_environment(const char *block, size_t size, size_t *length)
{
	struct rest rest;
	int arguments;

	*length = 0;
	if (size < sizeof arguments)
		return NULL;
	memcpy(&arguments, block, sizeof arguments);
	rest = (struct rest) { block + sizeof arguments,
		size - sizeof arguments };
	if (arguments < 0 || !skip_string(&rest))
		return NULL;
	skip_padding(&rest);
	for (; arguments > 0; arguments--)
		if (!skip_string(&rest))
			return NULL;
	*length = rest.size;
	return rest.size > 0 ? rest.at : NULL;
}
