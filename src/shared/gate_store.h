/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_GATE_STORE_H
#define BACKOFF_SHARED_GATE_STORE_H
/*
 * The gate that runs share, where it is: in the file of its NAME, or on the
 * server of a fleet. What becomes of it core/gate/gate.h decides. To look:
 * gate_store_look(). To change it: gate_store_begin(), a step,
 * gate_store_end(), with nothing in between that waits.
 *
 * A run that waits or probes locks the byte of its ticket, so that the others
 * see whether it lives. Where a function fails, WHY of the part's file tells
 * why, and the gate cannot be used.
 *
 * Of a fleet's gate the file has a copy, the mirror, which is looked at in its
 * place for as long as it is young; and where the server does not answer, the
 * mirror is the gate.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "shared/fleet.h"
#include "shared/shared_state.h"

struct gate_store {
	struct shared_part part; /* "gate" */
	uint8_t bytes[STATE_SIZE]; /* as last read */
	bool is_noted; /* what was wrong with them */
	uint64_t held; /* the ticket whose byte we lock; 0: none */

	bool is_fleet;
	struct fleet_view server; /* as it was at gate_store_begin() */
	bool is_restored; /* that has lost it, and is given our copy */
	uint64_t probing; /* the ticket that we hold there; 0: none */
};

struct gate_view {
	struct gate gate;
	int64_t now_ns; /* by the gate's clock: CLOCK_BOOTTIME */
	uint8_t living; /* of the probers: see struct gate_visit */
};

/*
 * What is missing, broken or of another boot is a gate that nobody has used.
 */
bool gate_store_look(struct gate_store *store, struct gate_view *view);

/* The same with the lock of the record, which a true one leaves held. */
bool gate_store_begin(struct gate_store *store, struct gate_view *view);

enum stored {
	STORE_FAILED,
	STORE_CROSSED, /* another machine has changed it: begin again */
	STORE_DONE,
};

/*
 * Frees it. Before, TICKET's byte is locked, if that is not 0, or else what
 * was held is freed; and the gate of VIEW is written where it has CHANGED.
 */
enum stored gate_store_end(struct gate_store *store, struct gate_view *view,
    bool changed, uint64_t ticket);

/* There is a file, or a server that answers. */
bool gate_store_is_there(const struct gate_store *store);

/* Nothing is waited for any more. */
void gate_store_drop(struct gate_store *store);

/* How many of those who have a ticket, and do not probe, live; or may live. */
int64_t gate_store_waiters(
    const struct gate_store *store, const struct gate *gate);

#endif
