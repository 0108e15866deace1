/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_PAUSE_RANDOM_H
#define BACKOFF_CORE_PAUSE_RANDOM_H
/*
 * The random number generator. Its source of bits can be replaced, so that
 * tests can feed it known numbers.
 */

#include <stdint.h>

struct random {
	uint64_t (*bits)(struct random *); /* 64 uniform bits */
	uint64_t state;
};

/* SplitMix64 (Steele, Lea, Flood 2014) from SEED: passes BigCrush. */
struct random random_from(uint64_t seed);

/*
 * Uniform in [low, high], ends included, low <= high, without bias. Does not
 * advance the generator if low == high.
 */
int64_t random_between(struct random *random, int64_t low, int64_t high);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random *random);

#endif
