/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/charts/tick.h"
#include "unit/tap.h"

static void
test_times(void)
{
	is_int(tick_time(3), 5, "1, 2, 5 of it");
	is_int(tick_time(6), 10, "10 is the next 1");
	is_int(tick_time(501 * NS_PER_MS), NS_PER_S, "a second");
	is_int(tick_time(NS_PER_S + 1), 2 * NS_PER_S, "whole seconds");
	is_int(tick_time(21 * NS_PER_S), 30 * NS_PER_S, "half a minute");
	is_int(tick_time(31 * NS_PER_S), NS_PER_MIN, "no 50s: a minute");
	is_int(tick_time(31 * NS_PER_MIN), 60 * NS_PER_MIN, "an hour");
	is_int(tick_time(13 * 60 * NS_PER_MIN), 24 * 60 * NS_PER_MIN, "a day");
	is_int(
	    tick_time(25 * 60 * NS_PER_MIN), 48 * 60 * NS_PER_MIN, "doubled");
	is_int(tick_time(INT64_MAX), INT64_MAX, "the longest saturates");
}

/* In millionths. */
static void
number(double least, int64_t wanted, const char *what)
{
	is_int((int64_t)(tick_number(least) * 1e6 + 0.5), wanted, what);
}

static void
test_numbers(void)
{
	number(1, 1000000, "1");
	number(2.1, 5000000, "5");
	number(5.1, 10000000, "10");
	number(0.03, 50000, "hundredths");
	number(0.000011, 20, "millionths");
}

TESTS
{
	test_times();
	test_numbers();
}
