/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DOORS_H
#define BACKOFF_DOORS_DOORS_H
/*
 * What stands at the two doors of the loop (core/loop/loop.h), in its order:
 * who is put off waits for nothing, and who waits for others holds no slot.
 */

#include "core/loop/loop.h"
#include "core/loop/settings.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * Nothing is opened yet, but the helper of a fleet is started, and exits with
 * 125 if that cannot work. False: nothing is shared, and none of the other
 * functions is to be called. OPTIONS and SETTINGS must live on; ID is the
 * run's, and may be another run's too; OWNER is from the kernel, for this one.
 */
bool doors_start(const struct shared_options *options,
    const struct settings *settings, const char *id, struct random random,
    uint64_t owner);

/* The log is open. Exits with 125 where a limit cannot be kept. */
void doors_open(void);

/* As the loop calls them; SELF is not used. */
struct entry doors_before_splay(void *self);
struct entry doors_before_attempt(
    void *self, const struct loop_state *state, int64_t until_ns);
struct gate_effect doors_after_verdict(
    void *self, const struct loop_state *state);

#endif
