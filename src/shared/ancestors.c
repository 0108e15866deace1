/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "process/process_tree.h"
#include "shared/ancestors.h"

#define MOST_ANCESTORS \
	4096 /* a chain that changes while it is read may loop \
	      */

/* The parent of PID, or 0. */
static pid_t
parent_of(pid_t pid)
{
	struct process process;

	return process_read(&process, pid) ? process.parent : 0;
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
