/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_PROCESS_TREE_MARK_H
#define BACKOFF_CORE_JUDGE_PROCESS_TREE_MARK_H
/*
 * Decides which processes belong to COMMAND's tree, from plain data: what
 * /proc says, and which processes were there before.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PROCESS_NAME 16 /* bytes of a name, its terminator included */

struct process {
	pid_t pid;
	pid_t parent;
	unsigned long long start; /* of some clock: tells reused pids apart */
	char name[PROCESS_NAME]; /* unchanged: any bytes but NUL */
	bool is_zombie;
	bool is_stopped; /* by a signal or a tracer */
	bool has_mark; /* its environment is that of this run */
	bool in_tree;
};

struct processes {
	struct process *list;
	size_t count;
};

/* What decides which tree a process belongs to. */
struct ancestry {
	pid_t self;
	pid_t adopter; /* the parent of orphans: self, or else process 1 */
	pid_t command; /* 0 once it has been reaped */
	struct processes preexisting; /* below self before the first attempt */
	struct processes known; /* in the tree at the last look */
};

/*
 * Reads a line of /proc/PID/stat, whose command name may hold parentheses,
 * blanks and newlines. False: it is not such a line.
 */
bool process_parse(struct process *process, const char *line);

/*
 * Whether has_mark must decide about PROCESS, because it is an orphan that
 * may come from COMMAND's tree or from elsewhere: from a child that self had
 * before, or from any process if self does not adopt orphans.
 */
bool process_needs_mark(
    const struct ancestry *ancestry, const struct process *process);

/* Whether ENTRY, "NAME=VALUE", is one of the strings in the block. */
bool process_environ_has(const char *block, size_t length, const char *entry);

/*
 * Sets in_tree of every process below self, and of orphans with the mark and
 * what is below those, except what was there before the first attempt, and what
 * is below that. Sorts ALL by pid.
 */
void process_tree_mark(struct processes *all, const struct ancestry *ancestry);

#endif
