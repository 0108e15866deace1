/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SUPERVISE_H
#define BACKOFF_PROCESS_SUPERVISE_H
/*
 * Runs a program once: starts it, passes signals on, and ends it with its
 * process tree when its time is up.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "types/option_types.h"

/* Callbacks for a program whose input or output backoff passes on. */
struct relay {
	/* The program has its descriptors now, or was not started; keeps errno.
	 */
	void (*spawned)(void);
	int (*wanted)(struct pollfd *descriptors); /* returns how many */
	int64_t (*due_ns)(void); /* when on_ready() is to be called anyway */
	/* False: the program must be killed. */
	bool (*on_ready)(const struct pollfd *came);
	/*
	 * When the program last wrote, or INT64_MIN. It writes at NOW_NS where
	 * some of it still waits to be passed on, or where a file of its
	 * output has grown since the last call.
	 */
	int64_t (*wrote)(int64_t now_ns);
	/*
	 * After its end: passes on what is left; returns whether there is
	 * more. With PATIENT, that includes what leftover processes that still
	 * have its output open may write.
	 */
	bool (*flush)(bool patient);
};

struct command {
	char *const *argv;
	int descriptors[3]; /* its 0, 1 and 2, or -1: inherited */
	const struct relay *relay; /* or NULL */
	int64_t cutoff_ns; /* when to end it; INT64_MAX: never */
	bool is_hook; /* it gets only end signals, and may be silent */
};

/*
 * Runs it to its end, as OPTIONS limit and end attempts. If it could not be
 * started, that is an outcome too. The times of the outcome are always set.
 */
struct outcome supervise(
    const struct command *command, const struct options *options);

#endif
