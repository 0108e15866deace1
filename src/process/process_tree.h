/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PROCESS_TREE_H
#define BACKOFF_PROCESS_PROCESS_TREE_H
/*
 * COMMAND's tree: every process below us but those that were there before
 * it. We are a subreaper then, so that what loses its parent comes to us
 * and cannot get out of sight. Read from /proc; without it, a tree is
 * nothing but COMMAND.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/outcome.h"

struct process {
	pid_t pid;
	pid_t parent;
	unsigned long long start; /* in ticks since boot: tells reused pids */
	bool zombie;
	bool below; /* in the tree */
};

struct processes {
	struct process *list;
	size_t count;
};

/* Makes us the parent of orphans below us. To be called before a spawn. */
void process_tree_adopt_orphans(void);

/* What is below us already, to be spared. Free the list. */
struct processes process_tree_before(void);

/*
 * Sends SIGNAL to COMMAND (0: it has been reaped) and to everything in its
 * tree that is not SPARED. Returns how many processes it was sent to.
 */
size_t process_tree_signal(
    const struct processes *preexisting, pid_t command, int signal);

/*
 * What of it is left: how many processes, and one of them by pid and name.
 */
struct killed process_tree_left(
    const struct processes *preexisting, pid_t command);

#endif
