/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/resource.h>

#include "system/processes.h"

bool
processes_are_shown(void)
{
	return false;
}

bool
processes_can_be_seen(void)
{
	return false;
}

int64_t
processes_namespace(void)
{
	return 0;
}

bool
process_read(struct process *process, pid_t pid)
{
	(void)process;
	(void)pid;
	return false;
}

void
processes_each(bool (*each)(pid_t pid, void *what), void *what)
{
	(void)each;
	(void)what;
}

char *
process_environment(pid_t pid, size_t *length)
{
	(void)pid;
	*length = 0;
	return NULL;
}

bool
processes_adopt_orphans(void)
{
	return false;
}

bool
process_own_program(char *path, size_t size)
{
	if (size > 0)
		path[0] = '\0';
	return false;
}

void
process_dumps_no_core(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
}
