/* SPDX-License-Identifier: MIT */
#ifndef UNLIMITED_H
#define UNLIMITED_H
/*
 * Settings as a starting point for tests: full jitter from 1 s on, tripling,
 * up to a minute, and limits that limit nothing.
 */

#include "core/base/duration.h"
#include "core/loop/loop_state.h"

static struct settings
usual(void)
{
	return (struct settings) {
		.policy = {
			.base_ns = NS_PER_S,
			.factor = 3,
			.cap_ns = NS_PER_MIN,
			.floor_ns = NS_PER_S / 10,
			.jitter.kind = JITTER_FULL,
			.throttle_base_ns = 5 * NS_PER_S,
			.max_exponent = INT64_MAX,
		},
		.limits = {
			.attempts = INT64_MAX,
			.timeout_ns = DURATION_INF,
			.idle_timeout_ns = DURATION_INF,
			.kill_after_ns = 10 * NS_PER_S,
			.deadline_ns = DURATION_INF,
			.until_ns = INT64_MAX,
			.reset_after_ns = DURATION_INF,
			.consecutive = 1,
			.hint_max_ns = DURATION_INF,
			.spool_limit = INT64_MAX,
		},
	};
}

#endif
