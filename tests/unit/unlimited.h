/* SPDX-License-Identifier: MIT */
#ifndef UNLIMITED_H
#define UNLIMITED_H
/*
 * Settings as a starting point for tests: full jitter from 1 s on, tripling,
 * up to a minute, and limits that limit nothing.
 */

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "core/pause/schedule.h"

#define MS NS_PER_MS
#define S NS_PER_S

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

/* Any others, mostly reasonable; whole numbers, so that times coincide. */
static inline struct settings
any_settings(struct random *random)
{
	struct settings settings = usual();
	struct policy *policy = &settings.policy;
	struct limits *limits = &settings.limits;

	policy->growth = (enum growth)random_between(random, 0, 6);
	policy->factor = 2;
	policy->jitter = (struct jitter) {
		.kind = (enum jitter_kind)random_between(random, 0, 7),
		.low = 0.5,
		.high = 1.5,
		.spread_ns = NS_PER_S,
	};
	if (policy->jitter.kind > JITTER_SCALE)
		policy->base_ns = 2 * NS_PER_S;
	policy->cap_ns = random_between(random, 2, 20) * NS_PER_S;
	policy->cap_mode = (enum cap_mode)random_between(random, 0, 2);
	policy->floor_ns = random_between(random, 0, 10) * NS_PER_S / 10;
	policy->slot_ns = random_between(random, 0, 3) / 3 * NS_PER_S;
	limits->consecutive = random_between(random, 1, 3);
	if (random_between(random, 0, 1) == 1)
		limits->attempts
		    = random_between(random, limits->consecutive, 12);
	if (random_between(random, 0, 1) == 1)
		limits->deadline_ns = random_between(random, 1, 40) * NS_PER_S;
	if (random_between(random, 0, 1) == 1)
		limits->splay = (struct range) { NS_PER_S,
			random_between(random, 1, 9) * NS_PER_S };
	return settings;
}

#endif
