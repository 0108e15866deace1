/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_TURN_STORE_H
#define BACKOFF_FLEET_TURN_STORE_H
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

#include "core/gate/record.h"

struct turn_view {
	struct gate_record record;
	bool is_there; /* the server has one, be it damaged */
	int64_t now_ns; /* by the server */
	uint32_t lease_turn; /* that the lease is for; 0: there is none */
	bool lease_is_ours;
	int64_t lease_left_ns; /* not by turn_store_look() */
};

void turn_store_start(const char *name);

/* Each is false where the server cannot be used. */
bool turn_store_look(struct turn_view *view);

/* For a transaction. TOOK_ITEM, if not NULL, is set where it took one. */
bool turn_store_watch(struct turn_view *view, bool *took_item);

/* The parts of a transaction, which begins with MULTI. */
void turn_store_add_record(const struct turn_view *view);
void turn_store_add_lease(uint32_t turn);
/* Nobody has the turn: who waits longest may have it. */
void turn_store_add_item(bool was_ours);

enum stored {
	STORE_FAILED,
	STORE_DONE,
	STORE_CROSSED, /* by another: to be decided anew */
};

enum stored turn_store_commit(void);

/* Waits for an item for MOST_NS, as server_await_item() does. */
bool turn_store_await_item(
    int64_t most_ns, int other, bool *took_item, bool *interrupted);

/* Makes the lease longer, whoever has it, or ours again where nobody has. */
bool turn_store_renew(struct turn_view *view, uint32_t turn);

#endif
