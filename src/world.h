/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_WORLD_H
#define BACKOFF_WORLD_H
/*
 * The real world of the loop: this process, its children, its clock.
 */

#include <stdbool.h>

#include "process/supervise.h"
#include "core/loop.h"
#include "core/known/tools.h"

struct job {
	char *const *argv; /* COMMAND */
	const struct tool *tool; /* what is known of it, or NULL; but not of */
	int lock_conflict; /* this status, which is that of a flock; or -1 */
	int signal; /* what a timeout sends first */
	int64_t kill_after_ns;
	int64_t grace_ns;
	const char *before_retry; /* scripts for sh, or NULL */
	const char *at_end;
	bool quiet_success; /* a success leaves no trace */
};

/* ERRAND must outlive the world. */
struct world world_of(struct job *job);

#endif
