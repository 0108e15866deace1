/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_UNIFORM_H
#define BACKOFF_UNIFORM_H
/*
 * A generator that always gives the same known number.
 */

#include "core/pause/schedule.h"

static struct random random_source;

/* The low bit keeps 0 from rejection. */
static uint64_t
constant(struct random *random)
{
	return random->state | 1;
}

/* All draws of random_source are U of [0, 1]. */
static void
set_uniform(double u)
{
	random_source.bits = constant;
	random_source.state = u >= 1 ? UINT64_MAX : (uint64_t)(u * 0x1p63) << 1;
}

#endif
