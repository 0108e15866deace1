/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_FLEET_HELPER_H
#define BACKOFF_SHARED_FLEET_HELPER_H
/*
 * backoff-fleet, as fleet.c talks to it: started when it is needed, and again
 * in an attempt where it has died with a slot. All helpers of a run are one
 * owner for the server.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/base/duration.h"
#include "core/gate/fleet_line.h"
#include "types/option_types.h"

/*
 * The helper keeps to 250 ms for the connection and for each answer of the
 * server. This is for one that is stuck itself.
 */
#define FLEET_ANSWER_NS (1500 * NS_PER_MS)

/* Why there is no answer, where the helper has died. */
extern const char fleet_helper_ended[];

/* A number that stands for this state directory since the last boot. */
int64_t fleet_machine(void);

/*
 * Starts nothing yet. OPTIONS must live on; OWNER is what no other run has, or
 * 0 for one that takes nothing.
 */
void fleet_helper_start(
    const struct shared_options *options, int64_t patience_ns, uint64_t owner);

/*
 * Starts the helper where there is none, and says hello for MACHINE. NULL, or
 * why that does not work.
 */
const char *fleet_helper_introduce(struct fleet_line *answer, int64_t machine);

bool fleet_helper_put(const struct fleet_line *line);

/* Its next message. NULL, or why there is none. */
const char *fleet_helper_get(struct fleet_line *line, int64_t until_ns);

enum fleet_held {
	FLEET_HELD_SLOT,
	FLEET_HELD_TURN,
};
#define FLEET_HELD 2

/*
 * That is held, or no more: a helper that dies in an attempt has a successor
 * then, and each that follows takes it up.
 */
void fleet_helper_keep(enum fleet_held what, bool is_held);

#endif
