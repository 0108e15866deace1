/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_PROCESS_FACTS_H
#define BACKOFF_CORE_JUDGE_PROCESS_FACTS_H
/*
 * What a kernel without /proc tells about a process, from plain data.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/judge/process_tree_mark.h"

/* Of struct kinfo_proc, as macOS has it. */
struct process_facts {
	pid_t pid;
	pid_t parent;
	int64_t start_s; /* since 1970, and microseconds */
	int64_t start_us;
	const char *name; /* of up to NAME_SIZE bytes, perhaps without a NUL */
	size_t name_size;
	bool is_zombie;
	bool is_stopped;
};

/* False: it is no process that started at any time. */
bool process_from_facts(
    struct process *process, const struct process_facts *facts);

/*
 * Finds the environment in the SIZE bytes of the sysctl KERN_PROCARGS2: the
 * number of arguments as an int, the path of the program, NULs up to a multiple
 * of some word, the arguments, the environment, and strings of the kernel's own
 * such as "ptr_munge=", which are returned too. Sets *LENGTH. NULL: the block
 * ends before that, as when it was cut off, or the kernel hides it.
 */
const char *process_facts_environment(
    const char *block, size_t size, size_t *length);

#endif
