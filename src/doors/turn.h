/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_TURN_H
#define BACKOFF_DOORS_TURN_H
/*
 * The turn at a gate: at most one run has it, by the lock of a byte of the
 * state file. Who wants it stands in a line (line.h); the first of that blocks
 * on the turn, and leaves the line once it has it. So first come is first
 * served, nobody polls, and the kernel gives the turn on when its holder dies.
 * With the turn's byte alone, who frees it and queues again would have it
 * straight back.
 *
 * The first of the line watches the clock: a holder that is stuck is passed
 * over, by the next number, and so is one whose probe still runs when another
 * run's success has opened the gate. Who comes back late finds that the record
 * has another number.
 *
 * The first may be stopped, too, and so may any that stand behind it. So each
 * one looks now and then, some 20 seconds apart, and passes over what is stuck
 * in their stead. The line has the number of the turn: who finds another one
 * goes over to that line, with the ticket that it has, and leaves those behind
 * who are stopped.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "doors/gate_file.h"

enum turn_result {
	TURN_HAD,
	TURN_NEEDLESS, /* the gate is open by now */
	TURN_TIME, /* UNTIL_NS came first */
	TURN_SIGNAL, /* as LOCK_SIGNAL */
	TURN_FAILED, /* the file or errno tells why: see turn_take() */
};

/*
 * Waits for the turn as lock_wait() does. With TURN_HAD, RUN has its number,
 * and since when; that stays so until turn_give_up(). A failure stands in the
 * WHY of the file.
 */
enum turn_result turn_take(struct gate_file *gate, struct gate_run *run,
    int64_t until_ns, int *signal);

/* Turn NUMBER without a wait: false if anybody has it, or waits for it. */
bool turn_try(struct gate_file *gate, struct gate_run *run, uint32_t number);

/* Whether RUN holds it, and nobody waits for it as far as locks tell. */
bool turn_is_alone(const struct gate_file *gate, const struct gate_run *run);

/* Nothing happens if RUN does not hold it. */
void turn_give_up(struct gate_file *gate, struct gate_run *run);

/* A moment of CLOCK_BOOTTIME by CLOCK_MONOTONIC, if no suspension follows. */
int64_t turn_monotonic(int64_t boottime_ns);

#endif
