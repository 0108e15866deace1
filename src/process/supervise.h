/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SUPERVISE_H
#define BACKOFF_PROCESS_SUPERVISE_H
/*
 * One run of a program: spawn, pass signals on, wait, time out.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/outcome.h"
#include "process/child.h"

/* What goes on between us and the program while it runs. */
struct relay {
	void (*started)(void); /* the program has its descriptors */
	int (*wanted)(struct pollfd *descriptors); /* how many to wait for */
	void (*on_ready)(const struct pollfd *came, int count); /* one came */
	bool (*has_failed)(void); /* the program cannot do right any more */
	/*
	 * After its end: is something left to do? To be PATIENT is to wait
	 * for those, too, who have its output still and may write to it.
	 */
	bool (*drain)(bool patient);
};

struct command {
	char *const *argv;
	int descriptors[3]; /* its 0, 1 and 2, or -1: inherited */
	const struct relay *relay; /* or NULL */
	bool is_fed; /* by the pump, which may fail: then it is killed */
};

/*
 * Runs it to its end. A program that could not be started is an outcome
 * too; the times of the outcome are always set.
 */
struct outcome supervise(
    const struct command *command, const struct time_limit *limit);

#endif
