/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_GATE_STORE_H
#define BACKOFF_SHARED_GATE_STORE_H
/*
 * Where the gate that runs share is kept: in the file of its NAME, or on the
 * server of a fleet; core/gate/gate.h has its rules. To look at it:
 * gate_store_look(). To change it: gate_store_begin(), a step,
 * gate_store_end(), with nothing in between that waits. If one of these fails,
 * the gate cannot be used, and WHY of the part's file tells why.
 *
 * A run that waits or probes locks the byte of its ticket, so that the others
 * see whether it lives.
 *
 * The file of a fleet's gate is a copy, the mirror. While it is young it is
 * read instead of asking the server; while the server does not answer, it is
 * the gate.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "shared/fleet.h"
#include "shared/shared_state.h"

struct gate_store {
	struct shared_part part; /* "gate" */
	uint8_t bytes[STATE_SIZE]; /* as last read */
	bool is_noted; /* it was logged what is wrong with them */
	uint64_t held; /* the ticket whose byte we lock; 0: none */

	bool is_fleet;
	struct fleet_view server; /* as it was at gate_store_begin() */
	bool is_restored; /* the server has lost it, and gets our mirror */
	uint64_t probing; /* the ticket that we hold there; 0: none */
};

struct gate_view {
	struct gate gate;
	int64_t now_ns; /* by the gate's clock: CLOCK_BOOTTIME */
	uint8_t living; /* of the probers: see struct gate_visit */
};

/* A gate that is missing, damaged or of another boot is as new. */
bool gate_store_look(struct gate_store *store, struct gate_view *view);

/* The same, to change it. True: a file's record is locked until the end. */
bool gate_store_begin(struct gate_store *store, struct gate_view *view);

enum stored {
	STORE_FAILED,
	STORE_CROSSED, /* another machine has changed it: begin again */
	STORE_DONE,
};

/*
 * Locks the byte of TICKET instead of one that we held, or none for 0; writes
 * the gate of VIEW, if it has CHANGED; and frees the record.
 */
enum stored gate_store_end(struct gate_store *store, struct gate_view *view,
    bool changed, uint64_t ticket);

/* Whether there is a file, or a server that answers. */
bool gate_store_is_there(const struct gate_store *store);

/* Gives up our ticket, here and on the server. */
void gate_store_drop(struct gate_store *store);

/* How many runs wait with a ticket, and live; in a fleet, or may live. */
int64_t gate_store_waiters(
    const struct gate_store *store, const struct gate *gate);

#endif
