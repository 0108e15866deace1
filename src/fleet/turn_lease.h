/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_TURN_LEASE_H
#define BACKOFF_FLEET_TURN_LEASE_H
/*
 * The gate of a fleet. Its keys, for a gate NAME:
 *
 *   backoff:{NAME}:gate   the record of the gate
 *   backoff:{NAME}:turn   "NUMBER OWNER": who has the turn of that number. It
 *       goes with its lease, or with the next number in the record.
 *   backoff:{NAME}:next   a list that has an item while nobody has the turn:
 *       who takes the item may take the turn. Those who wait block on it, and
 *       the server hands it to who has waited longest. An item that has got
 *       lost is replaced after a second without anybody's turn.
 *
 * Each time that the turn is taken the record gets the next number, so that
 * who comes back late finds another one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/fleet_line.h"

void turn_lease_start(const char *name, uint64_t machine, int64_t patience_ns);

/* Each answers WHAT; false: the server cannot be used. */
bool turn_lease_look(struct fleet_line *answer);
bool turn_lease_take(struct fleet_line *answer);
bool turn_lease_end(const struct fleet_line *asked, struct fleet_line *answer);
bool turn_lease_cancel(void);

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

#endif
