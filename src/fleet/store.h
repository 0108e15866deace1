/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_STORE_H
#define BACKOFF_FLEET_STORE_H
/*
 * What the server keeps for a KEY:
 *
 *   backoff:KEY        the state
 *   backoff:KEY:held   a sorted set of those who hold something, by the time
 *       in milliseconds at which their leases run out
 *
 * Both go after a day without a change.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/fleet_line.h"

/*
 * Each answers the question that QUESTION is. False: the server cannot be
 * used; server_why() tells why.
 */
bool store_look(const struct fleet_line *question, struct text *answer);
bool store_put(const struct fleet_line *question, struct text *answer);
bool store_drop(const struct fleet_line *question, struct text *answer);

void store_keep(const struct fleet_line *question);

/* When what is held is to be renewed, by CLOCK_BOOTTIME; INT64_MAX: never. */
int64_t store_renewal_ns(void);
void store_renew(bool holder_runs);

/* Gives up all that is held. */
void store_end(void);

#endif
