/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/pause/schedule.h"
#include "unit/tap.h"

/* A source that always gives the same bits. */
static uint64_t
constant(struct random *random)
{
	return random->state;
}

/* A source that counts how often it is asked, and gives 0 first. */
static int asked;

static uint64_t
zero_first(struct random *random)
{
	(void)random;
	return asked++ == 0 ? 0 : UINT64_C(1) << 63;
}

TEST(ends)
{
	struct random random = { constant, UINT64_MAX };

	is_int(random_between(&random, 0, 99), 99, "the upper end is reached");
	random.state = 1;
	is_int(random_between(&random, -5, 99), -5, "so is the lower end");
	random.state = UINT64_C(1) << 63;
	is_int(random_between(&random, 100, 200), 150, "half is the middle");
	is_int(random_between(&random, 7, 7), 7, "no choice");
	random.state = UINT64_MAX;
	is_int(random_between(&random, 0, INT64_MAX), INT64_MAX,
	    "all of the non-negative numbers");
	is_int(random_between(&random, INT64_MIN, INT64_MAX), -1,
	    "all of the numbers");
	ok(random_unit(&random) < 1, "a unit number is below 1");
}

TEST(rejection)
{
	struct random random = { zero_first, 0 };

	/* 2^64 mod 3 is 1: one of the 2^64 must be drawn again. */
	is_int(random_between(&random, 0, 2), 1, "a biased draw is repeated");
	is_int(asked, 2, "once");
}

/* Chi-square over ten cells, 9 degrees: above 46 in one of 10^6 runs. */
TEST(uniform)
{
	struct random random = random_from(42);
	enum {
		DRAWS = 100000,
		CELLS = 10
	};
	int cells[CELLS] = { 0 };
	double chi_square = 0, expected = (double)DRAWS / CELLS;

	for (int i = 0; i < DRAWS; i++)
		cells[random_between(&random, 0, CELLS - 1)]++;
	for (int i = 0; i < CELLS; i++) {
		double off = cells[i] - expected;

		chi_square += off * off / expected;
	}
	ok(chi_square < 46, "draws are uniform");
}

/* Steele, Lea, Flood 2014: the reference sequence from 1234567. */
TEST(seeds)
{
	struct random a = random_from(1234567);

	ok(a.bits(&a) == UINT64_C(6457827717110365317), "reference draw 1");
	ok(a.bits(&a) == UINT64_C(3203168211198807973), "reference draw 2");
}
