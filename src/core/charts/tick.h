/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CHARTS_TICK_H
#define BACKOFF_CORE_CHARTS_TICK_H
/*
 * Round steps for the labels of an axis.
 */

#include <stdint.h>

/*
 * The least step of a clock that is LEAST_NS > 0 or more: 1, 2, 5, 10 ... of
 * a unit below a second, 1s to 30s, 1m to 30m, 1h to 12h, and that doubled.
 * It saturates at INT64_MAX.
 */
int64_t tick_time(int64_t least_ns);

/* The least of ... 0.1, 0.2, 0.5, 1, 2, 5 ... that is LEAST > 0 or more. */
double tick_number(double least);

#endif
