/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_ACTIONS_H
#define BACKOFF_CORE_GATE_ACTIONS_H
/*
 * What the rules of a gate do to its record.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/record.h"
#include "core/gate/rules.h"
#include "core/gate/types.h"

/* All that a rule sees. */
struct gate_step {
	struct gate_record *record;
	int64_t now_ns;
	const struct gate_run *run;
	const struct gate_attempt *attempt; /* that has ended, or NULL */
	int64_t ended_ns; /* when it did, not after now */
};

/* Whether, with the failure that has ended, so many are in a row that the gate
 * shuts. */
bool gate_is_row(const struct gate_step *step);

/*
 * The rate of the ramp at NOW_NS: the results of each second that has passed
 * decide. It doubles until it was too high once, and then feels its way.
 */
void gate_pace(struct gate_record *record, int64_t now_ns);

void gate_act(enum gate_action action, const struct gate_step *step);

#endif
