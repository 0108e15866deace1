/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TYPES_HERD_OPTIONS_H
#define BACKOFF_TYPES_HERD_OPTIONS_H
/*
 * What backoff-herd is to simulate.
 */

#include <stdint.h>

/* What clients share a gate, if any do. */
enum herd_gate {
	HERD_NO_GATE,
	HERD_GATE_MACHINE, /* those of one machine */
	HERD_GATE_FLEET, /* all */
};

struct herd {
	int64_t clients; /* 0: not given */
	int64_t outage_ns; /* -1: not given */
	double capacity; /* requests a second; 0: not given */
	double failures; /* the share of requests that fail by themselves */
	int64_t runs;
	enum herd_gate gate;
	int64_t machines; /* >= 1 */
};

#endif
