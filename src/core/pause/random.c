/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/pause/random.h"

static uint64_t
splitmix64(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct random
random_from(uint64_t seed)
{
	return (struct random) { .bits = splitmix64, .state = seed };
}

/* Returns the upper 64 bits of a * b; sets *LOW to the lower ones. */
static uint64_t
multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
	uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
	uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
	uint64_t carry = (middle & UINT32_MAX) + a_low * b_high;

	*low = a * b;
	return a_high * b_high + (middle >> 32) + (carry >> 32);
}

/*
 * Lemire 2019, "Fast random integer generation in an interval": the upper
 * half of bits * span, drawn again in the few cases that would favour
 * some results.
 */
int64_t
random_between(struct random *random, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;
	uint64_t offset, rest;

	if (low == high)
		return low;
	if (span == 0)
		return (int64_t)random->bits(random);
	do
		offset = multiply(random->bits(random), span, &rest);
	while (rest < -span % span);
	return (int64_t)((uint64_t)low + offset);
}

double
random_unit(struct random *random)
{
	return (double)(random->bits(random) >> 11) * 0x1p-53;
}
