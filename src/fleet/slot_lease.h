/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_SLOT_LEASE_H
#define BACKOFF_FLEET_SLOT_LEASE_H
/*
 * The slots of a fleet. Their keys, for slots NAME:
 *
 *   backoff:{NAME}:slots  a sorted set of those that are taken, by the time in
 *       milliseconds at which their leases run out
 *   backoff:{NAME}:free   a list with an item for each that was given back
 *       while somebody waited, or nobody; at most as many as there are slots
 */

#include <stdbool.h>
#include <stdint.h>

void slot_lease_start(const char *name, int64_t count);

/* Each sets *HAD. False: the server cannot be used. */
bool slot_lease_take(bool *had);
/* *INTERRUPTED: OTHER could be read. */
bool slot_lease_claim(bool *had, int other, bool *interrupted);

/* *LOST: others have had it meanwhile. */
bool slot_lease_free(bool *lost);

/* As of turn_lease.h. */
int64_t slot_lease_renewal_ns(void);
void slot_lease_renew(bool holder_lives);
void slot_lease_forget(void);

/* Another helper of the owner held one: to be renewed now. */
void slot_lease_keep(void);

#endif
