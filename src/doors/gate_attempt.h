/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_ATTEMPT_H
#define BACKOFF_DOORS_GATE_ATTEMPT_H
/*
 * An attempt as a gate sees it: what it tells of the service behind.
 */

#include "core/gate/gate.h"
#include "core/loop/loop_state.h"
#include "core/loop/settings.h"
#include "core/pause/random.h"

/*
 * Without its pause. WORDS, of REASON_SIZE (core/words/reason.h), take the
 * reason; RANDOM draws the jitter of a hint.
 */
struct gate_attempt gate_attempt_of(const struct loop_state *state,
    const struct settings *settings, struct random *random, char *words);

#endif
