/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_H
#define BACKOFF_DOORS_GATE_H
/*
 * --gate: what a run does at a gate that others pass too, before its attempts
 * and after them. core/gate/gate.h has the rules.
 */

#include "core/loop/loop.h"
#include "core/loop/loop_state.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * Nothing is opened yet. ID is the run's; SETTINGS and RANDOM, which draws when
 * the next probe is due, must live on.
 */
void gate_start(const struct gate_options *options,
    const struct settings *settings, const char *id, struct random *random);

/*
 * Waits until an attempt may begin, until UNTIL_NS of CLOCK_MONOTONIC at the
 * latest, and sets *WAITED if it does. After ADMISSION_GO either gate_leave()
 * or gate_cancel() has to follow.
 */
struct entry gate_enter(int64_t until_ns, bool *waited);

/*
 * A run that was let in has waited for something else: whether it may still
 * start. False: it has to enter again.
 */
bool gate_recheck(void);

/* An attempt was made: its verdict is that of STATE. */
struct gate_effect gate_leave(const struct loop_state *state);

/* The attempt has its line in the log: logs how it has changed the gate. */
void gate_log_change(void);

/* There will be no attempt. */
void gate_cancel(void);

#endif
