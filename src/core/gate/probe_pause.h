/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_PROBE_PAUSE_H
#define BACKOFF_CORE_GATE_PROBE_PAUSE_H
/*
 * How long a shut gate waits for its next probe, drawn by the run that
 * records the failure.
 */

#include <stdint.h>

#include "core/pause/random.h"
#include "core/pause/schedule.h"

/*
 * A pause of POLICY after FAILURES >= 1 in a row, but no longer than a gate
 * waits (GATE_DUE_NS): the windows shrink to that, so that draws do not pile
 * up on it. Independent of what the run itself has drawn.
 */
int64_t gate_pause(
    const struct policy *policy, struct random *random, int64_t failures);

#endif
