/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_SLOTS_H
#define BACKOFF_DOORS_SLOTS_H
/*
 * --slots: so many attempts at once of all runs of a name. A slot is the lock
 * of a byte, which the kernel frees when its holder dies; who waits for one
 * comes in the order of its ticket (core/gate/slots_step.h). A fleet's are
 * counted by its server, whom the first in line of each machine asks.
 */

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * RANDOM draws where to look first; both must live on. OWNER is what no other
 * run has.
 */
void slots_start(
    const struct slots_options *options, struct random *random, uint64_t owner);

/* Whether who has started us holds one that we share: of a fleet. */
bool slots_are_of_parent(void);

/*
 * Finds them, with the log open. A limit is relied on: exits with 125 where it
 * cannot be kept.
 */
void slots_open(void);

/*
 * Takes a slot, waiting for one until UNTIL_NS of CLOCK_MONOTONIC, unless one
 * who has started us holds one of the same name: that is ours too. *WAITED: it
 * has waited.
 */
struct entry slots_take(int64_t until_ns, bool *waited);

/* Gives it back. */
void slots_free(void);

#endif
