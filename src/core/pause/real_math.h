/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_PAUSE_REAL_MATH_H
#define BACKOFF_CORE_PAUSE_REAL_MATH_H
/*
 * The little floating-point arithmetic that the schedules need, without
 * libm, which would cost 300 kB of memory.
 */

#include <stdint.h>

/* base^exponent for base >= 0, exponent >= 0; infinity if too large. */
double power(double base, int64_t exponent);

/* 2^t * tanh(sqrt(4t)), 0 <= t < 1000: the curve of Polly's jitter. */
double polly_curve(double t);

#endif
