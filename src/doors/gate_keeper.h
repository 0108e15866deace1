/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_KEEPER_H
#define BACKOFF_DOORS_GATE_KEEPER_H
/*
 * Who decides at a gate, for fleet_door.c: the record in the file of this
 * machine, or the fleet, whose mirror that is then (fleet_gate.h). Without a
 * fleet, and without a file, whoever asks may start.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/loop/loop_state.h"
#include "core/loop/settings.h"
#include "core/pause/random.h"
#include "doors/gate_file.h"

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

/*
 * Of who may not wait: in the ramp where a start is due, and as the one who
 * probes where nobody else has come to do so, for a gate at which no run waits
 * would stay shut for ever. False: it may not start, and holds nothing.
 */
bool gate_keeper_ask_at_once(
    struct gate_keeper *keeper, struct gate_decision *decision);

/* With the turn, until UNTIL_NS: as turn_news_count(), or for a part of it. */
int gate_keeper_sleep(struct gate_keeper *keeper, int64_t until_ns);

/* Gives the turn up, here and in the fleet. */
void gate_keeper_give_up(struct gate_keeper *keeper);

/*
 * An attempt as a gate sees it, without its pause. WORDS, of REASON_SIZE
 * (core/words/reason.h), take the reason; RANDOM draws the jitter of a hint.
 */
struct gate_attempt gate_attempt_of(const struct loop_state *state,
    const struct settings *settings, struct random *random, char *words);

/*
 * Notes an attempt where it counts, gives the turn up, and tells what has
 * changed. ASKED_NS is that of turn_news_change(). Sets *AFTER. False: the gate
 * cannot be used.
 */
bool gate_keeper_note(struct gate_keeper *keeper,
    const struct gate_attempt *attempt, bool is_probe, int64_t asked_ns,
    struct gate_record *after);

/*
 * Whether a success changes nothing: others may have failed since this attempt
 * began. Of a fleet's gate it is what this machine has seen: the server is not
 * asked after each success.
 */
bool gate_keeper_is_quiet(struct gate_keeper *keeper);

/* There will be no attempt. */
void gate_keeper_cancel(struct gate_keeper *keeper);

/*
 * The part of --gate-wait that is left, from BEGAN_NS on. The time until a
 * moment that the server has stated is not of it: STATED_NS was before.
 */
struct gate_patience {
	int64_t began_ns, left_ns, stated_ns;
};

/* When it ends, by what was seen last. */
int64_t gate_patience_end(
    const struct gate_keeper *keeper, const struct gate_patience *patience);

/*
 * Whether there is time left before UNTIL_NS after all: what was stated while
 * others had the turn may give it more.
 */
bool gate_patience_lasts(struct gate_keeper *keeper,
    const struct gate_patience *patience, int64_t until_ns);

#endif
