/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_GATE_STORE_H
#define BACKOFF_SHARED_GATE_STORE_H
/*
 * The gate that runs share, kept in the file of its NAME, or on the server of a
 * fleet: core/gate/gate.h has its rules. If a function returns false, the gate
 * cannot be used, and the file has why.
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
#include "shared/state_file.h"

struct gate_store {
	struct state_file file;
	uint8_t bytes[STATE_SIZE]; /* of the file, as last read */

	/* The gate, as it was at NOW_NS of its clock, CLOCK_BOOTTIME. */
	struct gate gate;
	struct gate before; /* the last step */
	int64_t now_ns;
	uint8_t living; /* of its probers: see gate_look() */
	uint64_t ticket; /* of our wait or probe; 0: none */
	uint64_t locked; /* the ticket whose byte we lock; 0: none */

	/* Of a fleet's gate. */
	struct fleet_view server; /* as it was last seen */
	bool is_restored; /* it has lost the gate, and gets our mirror */
};

/* Whether there is a file, or a server that answers. */
bool gate_store_is_there(const struct gate_store *store);

/* Reads the gate. One that is missing, damaged or of another boot is as new. */
bool gate_store_look(struct gate_store *store);

/*
 * A step of the gate: whether we may start, which takes a ticket where we have
 * to wait; that an attempt has ended, which gives it back; or that somebody
 * opens it by hand.
 */
bool gate_store_ask(struct gate_store *store, struct gate_answer *answer);
bool gate_store_report(
    struct gate_store *store, const struct gate_attempt *attempt);
bool gate_store_reopen(struct gate_store *store);

/* Gives up our ticket, here and on the server. */
void gate_store_drop(struct gate_store *store);

/* How many runs wait with a ticket, and live; in a fleet, or may live. */
int64_t gate_store_waiters(const struct gate_store *store);

#endif
