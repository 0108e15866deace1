/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/charts/tick.h"

static int64_t
below_a_second(int64_t least_ns)
{
	int64_t decade = 1;

	while (10 * decade <= least_ns)
		decade *= 10;
	return least_ns <= decade    ? decade
	    : least_ns <= 2 * decade ? 2 * decade
	    : least_ns <= 5 * decade ? 5 * decade
	                             : 10 * decade;
}

int64_t
tick_time(int64_t least_ns)
{
	static const int seconds[] = { 1, 2, 5, 10, 20, 30, 60, 120, 180, 300,
		600, 1200, 1800, 3600, 7200, 10800, 21600, 43200 };
	int64_t step_ns = 12 * 60 * NS_PER_MIN;

	if (least_ns < NS_PER_S)
		return below_a_second(least_ns);
	for (size_t i = 0; i < ARRAY_LENGTH(seconds); i++)
		if (seconds[i] * NS_PER_S >= least_ns)
			return seconds[i] * NS_PER_S;
	while (step_ns < least_ns)
		step_ns = saturating_multiply(step_ns, 2);
	return step_ns;
}

double
tick_number(double least)
{
	double decade = 1;

	while (10 * decade <= least)
		decade *= 10;
	while (decade > least)
		decade /= 10;
	return least <= decade    ? decade
	    : least <= 2 * decade ? 2 * decade
	    : least <= 5 * decade ? 5 * decade
	                          : 10 * decade;
}
