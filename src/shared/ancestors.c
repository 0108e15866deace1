/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "shared/ancestors.h"
#include "system/system.h"

/* A chain that changes while it is read may loop. */
#define MOST_ANCESTORS 4096

bool
may_be_ancestor(pid_t pid)
{
	struct process process = { .parent = getppid() };

	for (int i = 0; process.parent > 0 && i < MOST_ANCESTORS; i++) {
		if (process.parent == pid
		    || !process_read(&process, process.parent))
			return true;
	}
	return !processes_can_be_seen();
}
