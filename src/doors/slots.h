/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_SLOTS_H
#define BACKOFF_DOORS_SLOTS_H
/*
 * --slots: at most N attempts at once of all runs of a NAME. A slot is the lock
 * of a byte, which the kernel frees when its holder dies; waiting runs are
 * served in the order of their tickets (core/gate/slots_step.h). A fleet's
 * slots are counted by its server, which the first in line of each machine
 * asks.
 */

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * RANDOM draws which slot is tried first; both must live on. OWNER is a number
 * that no other run has.
 */
void slots_start(
    const struct slots_options *options, struct random *random, uint64_t owner);

/* Whether an ancestor of ours holds a slot of that NAME, which we share. */
bool slots_are_of_parent(void);

/*
 * Opens the file; the log is open. A limit is relied on: exits with 125 if it
 * cannot be kept.
 */
void slots_open(void);

/*
 * Takes a slot, waiting for one until UNTIL_NS of CLOCK_MONOTONIC, and then
 * sets *WAITED; none is needed if an ancestor holds one.
 */
struct entry slots_take(int64_t until_ns, bool *waited);

/* Gives it back, if there is one. */
void slots_free(void);

#endif
