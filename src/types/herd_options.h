/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TYPES_HERD_OPTIONS_H
#define BACKOFF_TYPES_HERD_OPTIONS_H
/*
 * What backoff-herd is to simulate.
 */

#include <stdint.h>

#include "core/simulation/simulation.h"

/* What clients share a gate, if any do. */
enum herd_gate {
	HERD_NO_GATE,
	HERD_GATE_MACHINE, /* those of one machine */
	HERD_GATE_FLEET, /* all */
};

struct herd {
	int64_t clients; /* 0: not given */
	/* Not given: down_ns is -1; capacity or limit is 0. */
	struct service service;
	int64_t runs;
	enum herd_gate gate;
	int64_t machines; /* >= 1 */
};

#endif
