/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_NOTE_H
#define BACKOFF_DOORS_GATE_NOTE_H
/* What an attempt means for the gate is noted, and what changed is said. */

#include <stdbool.h>

#include "core/loop/loop_state.h"
#include "doors/gate_attempt.h"
#include "doors/gate_keeper.h"

/*
 * Notes ATTEMPT where it counts, and gives the turn up. Sets *AFTER. False:
 * the gate cannot be used.
 */
bool gate_note(struct gate_keeper *keeper, const struct loop_state *state,
    struct gate_attempt *attempt, bool is_probe, struct gate_record *after);

/*
 * Whether a success changes nothing: others may have failed since this attempt
 * began. Of a fleet's gate it is what this machine has seen: the server is not
 * asked after each success.
 */
bool gate_note_is_needless(struct gate_keeper *keeper);

#endif
