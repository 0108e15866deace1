/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <libproc.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/judge/process_facts.h"
#include "system/darwin/kinfo.h"
#include "system/processes.h"

bool
processes_are_shown(void)
{
	return true;
}

bool
processes_can_be_seen(void)
{
	return true;
}

int64_t
processes_namespace(void)
{
	return 1;
}

bool
process_read(struct process *process, pid_t pid)
{
	struct kinfo_proc info;
	const struct extern_proc *kernel = &info.kp_proc;

	if (!kinfo_read(&info, pid))
		return false;
	return process_from_facts(process,
	    &(struct process_facts) {
	        .pid = kernel->p_pid,
	        .parent = info.kp_eproc.e_ppid,
	        .start_s = kernel->p_starttime.tv_sec,
	        .start_us = kernel->p_starttime.tv_usec,
	        .name = kernel->p_comm,
	        .name_size = sizeof kernel->p_comm,
	        .is_zombie = kernel->p_stat == SZOMB,
	        .is_stopped = kernel->p_stat == SSTOP,
	    });
}

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

/* All pids there are, to be freed; NULL: no memory. */
static pid_t *
list_pids(int *count)
{
	pid_t *pids = NULL, *larger;
	int room = 1024;

	for (;;) {
		larger = realloc(pids, (size_t)room * sizeof *pids);
		if (larger == NULL)
			break;
		pids = larger;
		*count = proc_listallpids(pids, room * (int)sizeof *pids);
		if (*count >= 0 && *count < room)
			return pids;
		if (*count < 0 || room > INT_MAX / 16)
			break;
		room *= 2;
	}
	free(pids);
	return NULL;
}

void
processes_each(bool (*each)(pid_t pid, void *what), void *what)
{
	int count = 0;
	pid_t *pids = list_pids(&count);

	if (pids == NULL)
		return;
	qsort(pids, (size_t)count, sizeof *pids, compare_pids);
	for (int i = 0; i < count; i++)
		if (pids[i] > 0 && !each(pids[i], what))
			break;
	free(pids);
}

/* How many bytes arguments and environment have at the most; 0: see errno. */
static size_t
most_arguments(void)
{
	int name[] = { CTL_KERN, KERN_ARGMAX };
	int most = 0;
	size_t size = sizeof most;

	if (sysctl(name, ARRAY_LENGTH(name), &most, &size, NULL, 0) != 0)
		return 0;
	return most > 0 ? (size_t)most : 0;
}

/*
 * The kernel shows those of our user alone, and of Apple's own programs, such
 * as /bin/sh, which it protects, only the arguments.
 */
char *
process_environment(pid_t pid, size_t *length)
{
	int name[] = { CTL_KERN, KERN_PROCARGS2, pid };
	size_t size = most_arguments();
	char *block = size > 0 ? malloc(size) : NULL;
	const char *found = NULL;

	*length = 0;
	if (block != NULL
	    && sysctl(name, ARRAY_LENGTH(name), block, &size, NULL, 0) == 0)
		found = process_facts_environment(block, size, length);
	if (found == NULL) {
		free(block);
		return NULL;
	}
	memmove(block, found, *length);
	return block;
}

/* No call does that. */
bool
processes_adopt_orphans(void)
{
	return false;
}

bool
process_own_program(char *path, size_t size)
{
	char found[PROC_PIDPATHINFO_MAXSIZE];
	struct text text = text_in(path, size);

	if (proc_pidpath(getpid(), found, sizeof found) <= 0)
		return false;
	text_add(&text, found);
	return true;
}

void
process_dumps_no_core(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit) { 0, 0 });
}
