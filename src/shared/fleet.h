/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_FLEET_H
#define BACKOFF_SHARED_FLEET_H
/*
 * The fleet: what runs on other machines share with ours. backoff-fleet asks
 * its server for us (core/gate/fleet_line.h). Where it has no answer in time,
 * the fleet is lost for this attempt, and what is shared is that of this
 * machine.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/fleet_line.h"
#include "types/option_types.h"

/*
 * Starts the helper, and exits with 125 where that cannot work at all. OPTIONS
 * must live on; PATIENCE_NS is that of core/gate/types.h; OWNER is what no
 * other run has, even one of the same --seed.
 */
void fleet_start(
    const struct shared_options *options, int64_t patience_ns, uint64_t owner);

/* Whether its server can be asked now: NULL, or "SERVER: WHY" it cannot. */
const char *fleet_check(void);

/*
 * Opens the gate by hand, and ends the helper. NULL, or "SERVER: WHY" that does
 * not work.
 */
const char *fleet_open(
    const struct shared_options *what, struct fleet_line *answer);

/* An attempt is coming: a fleet that was lost is tried again. */
void fleet_begin(void);

/* It is used, and not lost. */
bool fleet_is_on(void);

/*
 * Asks the helper, which is started if need be. False: the fleet is lost, and
 * that has been told.
 */
bool fleet_ask(const struct fleet_line *question, struct fleet_line *answer);

/* "SERVER: WHY" where it is lost, or NULL. */
const char *fleet_lost_why(void);

/* The fleet is lost, and the local slots serve: an alarm, told once. */
void fleet_slots_are_local(void);

/* The same in two steps. In between helper_socket() can be waited for. */
bool fleet_say(const struct fleet_line *question);
bool fleet_hear(enum fleet_word asked, struct fleet_line *answer);
bool fleet_can_be_heard(void);

/* Nothing is held, and nothing will be asked soon: no helper is needed. */
void fleet_rest(void);

/* The run has ended. */
void fleet_end(void);

#endif
