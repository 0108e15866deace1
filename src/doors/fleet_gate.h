/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_FLEET_GATE_H
#define BACKOFF_DOORS_FLEET_GATE_H
/*
 * The gate of a fleet, for fleet_door.c. The local gate of that name is its
 * mirror: each answer goes there, by the clock of this machine. So the turn at
 * the local gate chooses the one run of this machine that asks the server, and
 * where the server is lost, the local gate goes on from what was known.
 *
 * The number of the turn is the local one in all records here, and the mirror
 * leaves the machine's client somewhat more time than the fleet does, before
 * those who wait behind it step in.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/fleet_line.h"
#include "doors/gate_file.h"

/*
 * Asks with FLEET_LOOK or FLEET_TURN; what is seen goes to KEEPER. False: the
 * fleet is lost, and nothing has changed.
 */
bool fleet_gate_ask(struct gate_keeper *keeper, enum fleet_word word,
    struct gate_decision *decision);

/*
 * Waits for the turn, after GATE_QUEUE. *SIGNAL is what has ended that, as with
 * sleep_until_told(), or 0. It also ends at UNTIL_NS of CLOCK_MONOTONIC, and
 * *DECISION stays as it is; or every few seconds.
 */
bool fleet_gate_await(struct gate_keeper *keeper, int64_t until_ns,
    struct gate_decision *decision, int *signal);

/* An attempt has ended. */
struct fleet_news {
	struct gate_record before, after;
	int64_t now_ns; /* of CLOCK_BOOTTIME */
	bool is_lost; /* the turn was */
};

bool fleet_gate_end(struct gate_keeper *keeper,
    const struct gate_attempt *attempt, struct fleet_news *news);

/* Gives up the turn, and the wait for it. */
void fleet_gate_cancel(void);

#endif
