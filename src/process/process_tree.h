/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PROCESS_TREE_H
#define BACKOFF_PROCESS_PROCESS_TREE_H
/*
 * COMMAND's tree: every process below backoff, except those that were there
 * before the first attempt; so what earlier attempts and hooks have left is
 * part of it. backoff becomes a subreaper, so that it adopts orphans and no
 * process gets out of its sight. Where processes cannot be seen, the tree is
 * COMMAND, and its process group if it leads one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "system/system.h"

struct processes {
	struct process *list;
	size_t count;
};

struct process_tree {
	bool loses_orphans; /* to process 1, not to self */
	pid_t self;
	pid_t command; /* 0 once it has been reaped */
	struct processes preexisting; /* below self before the first attempt */
	struct processes known; /* in the tree at the last look; to be freed */
	pid_t group; /* that COMMAND leads, if processes cannot be seen; or 0 */
};

/*
 * Whether has_mark must decide about PROCESS, because it is an orphan that may
 * come from COMMAND's tree or from elsewhere: from a child that self had
 * before, or from any process if it falls to process 1, which self may be.
 */
bool process_needs_mark(
    const struct process_tree *tree, const struct process *process);

/*
 * Finds the tree in ALL: sets in_tree of every process below self, of orphans
 * with the mark and of what is below those, except what was there before the
 * first attempt, and what is below that. Sorts ALL by pid.
 */
void process_tree_find(struct processes *all, const struct process_tree *tree);

/* What a signal reached. */
struct process_census {
	size_t reached; /* processes of the tree that were signalled */
	size_t refused; /* others, that may not be signalled (EPERM) */
	struct process unending; /* one of the refused; it may lack a name */
	struct process met; /* the first of the reached; it may lack a name */
	bool unseen; /* only COMMAND, or its group, was signalled */
};

/*
 * Records what is below backoff, never to be signalled. Call this once, before
 * the first attempt, if there are children, and when the dead are reaped.
 */
void process_tree_spare(void);

/*
 * Sends SIGNAL (0: only looks) to COMMAND (0: it has been reaped) and to
 * everything else in its tree.
 */
struct process_census process_tree_signal(
    struct process_tree *tree, pid_t command, int signal);

#endif
