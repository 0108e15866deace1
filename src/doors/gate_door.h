/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_DOOR_H
#define BACKOFF_DOORS_GATE_DOOR_H
/*
 * --gate: what a run does at a gate that others pass too, before its attempts
 * and after them. core/gate/gate.h has the rules.
 */

#include "core/loop/loop.h"
#include "core/loop/settings.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * Nothing is opened yet. ID is the run's; SETTINGS and RANDOM, which draws when
 * the next probe is due, must live on.
 */
void gate_door_start(const struct gate_options *options,
    const struct settings *settings, const char *id, struct random *random);

/*
 * Waits until an attempt may begin, until UNTIL_NS of CLOCK_MONOTONIC at the
 * latest. After ADMISSION_GO either gate_door_leave() or gate_door_cancel()
 * has to follow.
 */
struct entry gate_door_enter(int64_t until_ns);

/*
 * Who has been let in has waited for something else: whether it may still go
 * on. False: it has to enter again.
 */
bool gate_door_look_again(void);

/* An attempt was made: its verdict is that of STATE. */
struct aftermath gate_door_leave(const struct loop_state *state);

/* That has its line: tells what it has made of the gate. */
void gate_door_tell(void);

/* There will be no attempt. */
void gate_door_cancel(void);

#endif
