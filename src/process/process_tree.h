/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_PROCESS_TREE_H
#define BACKOFF_PROCESS_PROCESS_TREE_H
/*
 * COMMAND's tree: every process below backoff but those that were there
 * before it. backoff is a subreaper then, so that what loses its parent
 * comes to it and cannot get out of sight. Read from /proc; without it, the
 * tree is nothing but COMMAND.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/outcome.h"
#include "core/process_tree_mark.h"

struct process_tree {
	struct processes preexisting; /* to be spared */
	struct processes known; /* in the tree at the last look */
};

/* What a signal met. */
struct process_census {
	size_t count; /* processes that are there */
	size_t refused; /* of these, may not be signalled: EPERM */
	struct process unending; /* one of these; its name may be unknown */
	struct process met; /* the first of the others, likewise */
};

/*
 * Whether /proc is there and shows this PID namespace: in that of another
 * one, a pid of ours is somebody else's.
 */
bool proc_is_ours(void);

/*
 * Makes backoff the parent of orphans below it. Call before a spawn. False:
 * it cannot be (Linux before 3.4, a sandbox), and their end is announced to
 * somebody else.
 */
bool process_tree_adopt_orphans(void);

/* Whether backoff has any child, dead ones included. */
bool process_tree_has_children(void);

/* A tree without a process yet: notes what is to be spared. Free it. */
struct process_tree process_tree_before(void);

/*
 * Sends SIGNAL (0: only looks) to COMMAND (0: it has been reaped) and to
 * everything else in its tree.
 */
struct process_census process_tree_signal(
    struct process_tree *tree, pid_t command, int signal);

void process_tree_free(struct process_tree *tree);

#endif
