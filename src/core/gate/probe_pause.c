/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/probe_pause.h"
#include "core/gate/gate.h"

/* By then decorrelated jitter has met the cap, or never will. */
#define MOST_DRAWS 32

int64_t
gate_pause(const struct policy *policy, struct random *random, int64_t failures)
{
	struct policy limited = *policy;
	struct schedule schedule;
	int64_t n = 1;

	limited.cap_ns = min_ns(policy->cap_ns, GATE_DUE_NS);
	limited.floor_ns = min_ns(policy->floor_ns, limited.cap_ns);
	limited.slot_ns = min_ns(policy->slot_ns, limited.cap_ns);
	schedule = schedule_start(&limited, random);
	/* What it draws next depends on what it has drawn. */
	if (policy->jitter.kind == JITTER_DECORRELATED)
		for (; n < min_ns(failures, MOST_DRAWS); n++)
			schedule_draw(&schedule, n, false);
	return min_ns(schedule_draw(&schedule, failures, false), GATE_DUE_NS);
}
