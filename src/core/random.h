/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_RANDOM_H
#define BACKOFF_CORE_RANDOM_H
/*
 * The generator. Its source of bits can be exchanged, so that reference
 * vectors can be tested with a uniform number that is known.
 */

#include <stdint.h>

struct random {
	uint64_t (*bits)(struct random *); /* 64 uniform bits */
	uint64_t state;
};

/* SplitMix64 (Steele, Lea, Flood 2014) from SEED: passes BigCrush. */
struct random random_from(uint64_t seed);

/*
 * Uniform in [low, high], ends included, low <= high, without bias. Draws
 * nothing where there is no choice.
 */
int64_t random_between(struct random *random, int64_t low, int64_t high);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random *random);

#endif
