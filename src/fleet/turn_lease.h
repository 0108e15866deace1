/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_TURN_LEASE_H
#define BACKOFF_FLEET_TURN_LEASE_H
/*
 * The turn at the gate of a fleet, and the gate: turn_store.h has what the
 * server keeps of it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/fleet_line.h"

void turn_lease_start(const char *name, uint64_t machine, int64_t patience_ns);

/* What backoff asks with: the record that its machine has seen last. */
void turn_lease_see(const struct fleet_line *asked);

/* Each answers WHAT; false: the server cannot be used. */
bool turn_lease_look(struct fleet_line *answer);
bool turn_lease_take(struct fleet_line *answer);
bool turn_lease_end(const struct fleet_line *asked, struct fleet_line *answer);
bool turn_lease_cancel(void);
/* By hand: whoever has the turn has it no more. */
bool turn_lease_open(struct fleet_line *answer);

/*
 * Waits until the turn may be had, or a few seconds; *INTERRUPTED: until OTHER
 * could be read, and there is no answer.
 */
bool turn_lease_await(struct fleet_line *answer, int other, bool *interrupted);

/* When it is to be renewed; INT64_MAX: it is not held. */
int64_t turn_lease_renewal_ns(void);
void turn_lease_renew(bool holder_lives);

/* Nothing is held that we know of. */
void turn_lease_forget(void);

/* Another helper of the owner may have had it. */
void turn_lease_keep(void);

#endif
