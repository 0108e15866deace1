/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "process/process.h"
#include "unit/tap.h"

#define MS NS_PER_MS
#define S NS_PER_S
#define START (100 * S)
#define NEVER INT64_MIN

static struct silence silence;

static void
reset(int64_t limit_ns)
{
	silence = (struct silence) { limit_ns, 0, START };
}

static bool
look_next(int64_t wrote_ns)
{
	return silence_look(
	    &silence, silence_next_ns(&silence), wrote_ns, false);
}

/* Looks when it is time for it until the limit has passed; returns when. */
static int64_t
until_over(int64_t wrote_ns)
{
	while (!look_next(wrote_ns))
		continue;
	return silence.looked_ns - START;
}

TEST(plain)
{
	int looks = 1;

	reset(10 * S);
	while (!look_next(NEVER))
		looks++;
	is_int(looks, 10, "ten looks");
	is_int(silence.looked_ns - START, 10 * S, "  and it is over");

	reset(INT64_MAX - 1);
	is_int(silence_next_ns(&silence), START + INT64_MAX / 10 + 1,
	    "the longest limit");

	reset(10 * S);
	for (int i = 1; i < 10; i++)
		silence_look(&silence, START + i * S, NEVER, false);
	silence_look(&silence, START + 9500 * MS, NEVER, false);
	ok(silence_look(&silence, START + 11 * S, NEVER, false),
	    "a look may come too late");
	is_int(silence_next_ns(&silence), START + 11 * S,
	    "  and then it is time, not for ever");

	reset(3);
	is_int(until_over(NEVER), 3, "the shortest does not stand still");
}

TEST(output)
{
	reset(10 * S);
	silence_look(&silence, START + S, START + 300 * MS, false);
	is_int(until_over(START + 300 * MS), 10300 * MS,
	    "it counts from the last write, not from the look that saw it");

	reset(10 * S);
	silence_look(&silence, START + 300 * MS, NEVER, false);
	is_int(until_over(START + 300 * MS), 10300 * MS,
	    "  also where that was the moment of a look");

	reset(10 * S);
	for (int i = 1; i < 100; i++)
		silence_look(
		    &silence, START + i * S, START + i * S - S / 2, false);
	ok(!silence_look(&silence, START + 100 * S, START + 99 * S, false),
	    "what writes often enough goes on");

	reset(10 * S);
	silence_look(&silence, START + S, START + S, false);
	silence_look(&silence, START + 2 * S, START + S, false);
	is_int(silence.lasted_ns, S, "what is written at the look counts");
}

TEST(stops)
{
	reset(10 * S);
	silence_look(&silence, START + S, NEVER, false);
	silence_look(&silence, START + 1500 * MS, NEVER, false);
	for (int i = 0; i < 60; i++)
		silence_look(&silence, silence_next_ns(&silence), NEVER, true);
	is_int(until_over(NEVER), 70 * S,
	    "a minute in which it was stopped does not count");

	reset(10 * S);
	silence_look(&silence, START + S, NEVER, false);
	silence_look(&silence, START + 3600 * S, NEVER, false);
	is_int(silence.lasted_ns, 2 * S,
	    "of a look that is late, no more counts than of one in time");

	reset(10 * S);
	silence_look(&silence, START + 5 * S, START + 4 * S, true);
	is_int(silence.lasted_ns, 0, "it wrote, and stopped");
}
