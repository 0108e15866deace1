/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PROCESS_TREE_H
#define BACKOFF_PROCESS_PROCESS_TREE_H
/*
 * COMMAND's tree: every process below backoff, except those that were there
 * before COMMAND. backoff becomes a subreaper, so that it adopts orphans and
 * no process gets out of its sight. Where processes cannot be seen,
 * the tree is COMMAND, and its process group if it leads one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/judge/process_tree_mark.h"

struct process_tree {
	struct processes preexisting; /* not to be signalled */
	struct processes known; /* in the tree at the last look */
	bool loses_orphans; /* to process 1: they are known by a mark */
	pid_t group; /* that COMMAND leads, if processes cannot be seen; or 0 */
};

/* What a signal reached. */
struct process_census {
	size_t count; /* processes of the tree that are there */
	size_t refused; /* how many of these may not be signalled (EPERM) */
	struct process unending; /* one of the refused; it may lack a name */
	struct process met; /* the first of the others; it may lack a name */
	bool unseen; /* only COMMAND, or its group, was signalled */
};

/* Whether backoff has any child, dead ones included. */
bool process_tree_has_children(void);

/* A tree without COMMAND yet: records what is there before. Free it. */
struct process_tree process_tree_before(void);

/*
 * Sends SIGNAL (0: only looks) to COMMAND (0: it has been reaped) and to
 * everything else in its tree.
 */
struct process_census process_tree_signal(
    struct process_tree *tree, pid_t command, int signal);

void process_tree_free(const struct process_tree *tree);

#endif
