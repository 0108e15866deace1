/* SPDX-License-Identifier: MIT */
/*
 * A line of /proc/PID/stat: what was read is printed as such a line, and read
 * again.
 */
#include <config.h>

#include "system/system.h"
#include "fuzz/fuzz.h"

static void
check_again(const struct process *process)
{
	struct process other;
	char line[256];

	snprintf(line, sizeof line,
	    "%d (%s) %c %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %llu 0\n",
	    (int)process->pid, process->name, process->is_zombie ? 'Z' : 'S',
	    (int)process->parent, process->start);
	fuzz_require(
	    process_from_stat(&other, line), "we cannot read what was printed");
	fuzz_require(other.pid == process->pid
	        && other.parent == process->parent
	        && other.start == process->start
	        && other.is_zombie == process->is_zombie
	        && strcmp(other.name, process->name) == 0,
	    "printed, it is another process");
}

static void
fuzz(char *string, size_t size)
{
	struct process process;

	(void)size;
	if (process_from_stat(&process, string))
		check_again(&process);
}
