/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_SLOTS_H
#define BACKOFF_DOORS_FLEET_SLOTS_H
/*
 * --slots: so many attempts at once of all runs of a name. A slot is the lock
 * of a byte, which the kernel frees when its holder dies.
 */

#include "core/loop/loop.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/* RANDOM draws where to look first; both must live on. */
void fleet_slots_start(
    const struct slots_options *options, struct random *random);

/*
 * Finds them, with the log open. A limit is relied on: exits with 125 where it
 * cannot be kept.
 */
void fleet_slots_open(void);

/*
 * Takes a slot, waiting for one until UNTIL_NS of CLOCK_MONOTONIC, unless one
 * who has started us holds one of the same name: that is ours too. TOUCH, if
 * not NULL, is called every few seconds of the wait. *WAITED: there was one.
 */
struct entry fleet_slots_take(
    int64_t until_ns, void (*touch)(void), bool *waited);

/* Whether who has started us holds one that we share: of a fleet. */
bool fleet_slots_are_of_parent(void);

/* Gives it back. */
void fleet_slots_free(void);

#endif
