/* SPDX-License-Identifier: MIT */
#ifndef UNLIMITED_H
#define UNLIMITED_H
/*
 * Limits that limit nothing, as a starting point for tests.
 */

#include "core/base/duration.h"
#include "core/loop/loop.h"

static struct limits
unlimited(void)
{
	return (struct limits) {
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
	};
}

#endif
