/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "shared/ancestors.h"
#include "system/processes.h"

/* A chain that changes while it is read may loop. */
#define MOST_ANCESTORS 4096

bool
is_ancestor(pid_t pid)
{
	struct process process = { .parent = getppid() };

	for (int i = 0; process.parent > 0 && i < MOST_ANCESTORS; i++) {
		if (process.parent == pid)
			return true;
		if (!process_read(&process, process.parent))
			break;
	}
	return false;
}
