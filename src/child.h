/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CHILD_H
#define BACKOFF_CHILD_H
/*
 * One run of a program: spawn, pass signals on, wait, time out.
 */

#include <stdint.h>

#include "outcome.h"

struct command {
	char *const *argv;
	int stdin_fd; /* descriptors for the program, or -1: inherited */
	int stdout_fd;
};

/* What is never is INT64_MAX. */
struct cut {
	int64_t at_ns; /* the moment to end it by force */
	int signal; /* what it is sent then */
	int64_t kill_after_ns; /* from that signal to KILL */
	int64_t grace_ns; /* from a signal that ends us to KILL */
};

/*
 * Runs it to its end. A program that could not be started is an outcome
 * too; the times of the outcome are always set.
 */
struct outcome child_run(const struct command *command, const struct cut *cut);

#endif
