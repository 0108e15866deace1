/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_GATE_PATIENCE_H
#define BACKOFF_DOORS_GATE_PATIENCE_H
/* How long a run waits at a gate: --gate-wait. */

#include <stdbool.h>
#include <stdint.h>

#include "doors/gate_keeper.h"

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
