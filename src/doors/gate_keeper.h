/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_KEEPER_H
#define BACKOFF_DOORS_GATE_KEEPER_H
/*
 * Who decides at a gate, for gate_door.c: the record in the file of this
 * machine, or the fleet, whose mirror that is then (fleet_gate.h). Without a
 * fleet, and without a file, whoever asks may start.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "doors/fleet_gate.h"
#include "doors/gate_file.h"

struct gate_keeper {
	struct gate_file file;
	struct gate_run run;
	struct gate_record seen; /* as it was when last asked */
	bool is_of_fleet;
	bool has_to_tell; /* of the wait that may follow */
};

/* The file is there; the fleet is, and is not lost. */
bool gate_keeper_has_file(const struct gate_keeper *keeper);
bool gate_keeper_has_fleet(const struct gate_keeper *keeper);

/* One of both: there is somebody to ask. */
bool gate_keeper_is_there(const struct gate_keeper *keeper);

/*
 * What the record of this machine says now; it is written where it says that.
 * False: the file cannot be used.
 */
bool gate_keeper_ask(
    struct gate_keeper *keeper, struct gate_decision *decision);

/* Whether it may start: what is open here may be shut in the fleet. */
void gate_keeper_look(
    struct gate_keeper *keeper, struct gate_decision *decision);

/*
 * The same of who has the turn here: then the fleet decides, if there is one.
 * With GATE_QUEUE in *DECISION it waits there, until LIMIT_NS of
 * CLOCK_MONOTONIC at the latest. *SIGNAL is what has ended that, or 0.
 */
bool gate_keeper_ask_in_turn(struct gate_keeper *keeper,
    struct gate_decision *decision, int64_t limit_ns, int *signal);

/* With the turn, until UNTIL_NS: as gate_news_count(), or for a part of it. */
int gate_keeper_sleep(struct gate_keeper *keeper, int64_t until_ns);

/* Gives the turn up, here and in the fleet. */
void gate_keeper_give_up(struct gate_keeper *keeper);

/* Notes an attempt where it counts, and gives the turn up. */
bool gate_keeper_note(struct gate_keeper *keeper,
    const struct gate_attempt *attempt, bool is_probe, struct fleet_news *news);

/* There will be no attempt. */
void gate_keeper_cancel(struct gate_keeper *keeper);

#endif
