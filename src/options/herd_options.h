/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_HERD_OPTIONS_H
#define BACKOFF_OPTIONS_HERD_OPTIONS_H
/*
 * What backoff-herd is to simulate.
 */

#include <stdbool.h>
#include <stdint.h>

struct herd {
	int64_t clients; /* 0: not given */
	int64_t outage_ns; /* -1: not given */
	double capacity; /* requests a second; 0: not given */
	int64_t runs;
	bool gate; /* all clients share one */
};

#endif
