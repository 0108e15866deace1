/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_SETTINGS_H
#define BACKOFF_CORE_LOOP_SETTINGS_H
/*
 * The settings of the loop: pauses, verdicts and limits.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/pause/schedule.h"

/* When to give up. INT64_MAX: no limit. */
struct limits {
	int64_t attempts; /* total runs, counted from the last reset */
	bool attempts_given; /* it bounds probes at a gate, too */
	int64_t timeout_ns; /* for one attempt */
	int64_t idle_timeout_ns; /* the same, without output */
	int64_t kill_after_ns; /* between a timeout's signal and KILL */
	int64_t deadline_ns; /* for everything, from the start of the loop */
	int64_t until_ns; /* since the epoch: no attempt starts after it */
	int64_t reset_after_ns; /* an attempt this long resets the count */
	int64_t consecutive; /* successes in a row that are needed, >= 1 */
	int64_t flaky_status; /* of a success after a failed attempt */
	int64_t hint_max_ns; /* the longest wait that a hint may ask for */
	int64_t spool_limit; /* bytes of stdin kept for further attempts */
	struct range splay; /* before the first attempt */
	bool from_start; /* pauses count from the start of the attempt */
};

struct settings {
	struct policy policy;
	struct rules rules;
	struct limits limits;
};

#endif
