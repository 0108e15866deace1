/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PROCESSES_H
#define BACKOFF_SYSTEM_PROCESSES_H
/*
 * What the system tells of each process.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/judge/process_tree_mark.h"

/* Whether this system shows processes at all. */
bool processes_are_shown(void);

/*
 * Whether all processes of this PID namespace can be seen; in another
 * namespace, our pids would belong to other processes.
 */
bool processes_can_be_seen(void);

/* Which PID namespace ours is; 0: nobody knows. */
int64_t processes_namespace(void);

/* Reads what there is about PID. False: it is gone, or cannot be seen. */
bool process_read(struct process *process, pid_t pid);

/*
 * Calls EACH with the pid of every process, as long as that returns true. Where
 * none can be seen it does nothing.
 */
void processes_each(bool (*each)(pid_t pid, void *what), void *what);

/*
 * The environment with which PID was started: a block of NAME=VALUE, each with
 * its NUL, of *LENGTH bytes, to be freed. NULL: it cannot be read, as that of a
 * set-user-ID program, or there is no memory.
 */
char *process_environment(pid_t pid, size_t *length);

/*
 * Makes us adopt the orphans below us. Call before a spawn. False: that is
 * impossible, and another process gets the SIGCHLD of orphans.
 */
bool processes_adopt_orphans(void);

/* The path of our own program, cut off at SIZE; false: nobody knows. */
bool process_own_program(char *path, size_t size);

/* We leave no core dump from now on. */
void process_dumps_no_core(void);

#endif
