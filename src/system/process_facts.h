/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PROCESS_FACTS_H
#define BACKOFF_SYSTEM_PROCESS_FACTS_H
/*
 * How linux.c and darwin.c read what their kernel tells about a process. This
 * is compiled everywhere, so that its tests run on Linux, with recorded bytes.
 */

#include "system/system.h"

/*
 * Reads a line of /proc/PID/stat, whose command name may contain parentheses,
 * blanks and newlines. False: it is not such a line.
 */
bool process_from_stat(struct process *process, const char *line);

/* Of struct kinfo_proc, as macOS has it. */
struct process_facts {
	pid_t pid;
	pid_t parent;
	int64_t start_s; /* since 1970, and microseconds */
	int64_t start_us;
	const char *name; /* up to NAME_SIZE bytes, perhaps without a NUL */
	size_t name_size;
	bool is_zombie;
	bool is_stopped;
};

/* False: the pid or the start is impossible. */
bool process_from_facts(
    struct process *process, const struct process_facts *facts);

/*
 * Finds the environment in the SIZE bytes of the sysctl KERN_PROCARGS2: the
 * number of arguments as an int, the path of the program, NULs up to a multiple
 * of some word, the arguments, the environment, and strings of the kernel's own
 * such as "ptr_munge=", which are returned too. Sets *LENGTH. NULL: the block
 * ends before that, because it was cut off or the kernel hides it.
 */
const char *process_facts_environment(
    const char *block, size_t size, size_t *length);

#endif
