/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/pause/real_math.h"

double
power(double base, int64_t exponent)
{
	double result = 1;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result *= base;
		base *= base;
	}
	return result;
}

/* e^x for 0 <= x: a Taylor series for x / 2^k below 1/4, then squared. */
static double
exponential(double x)
{
	double sum = 1, term = 1;
	int halvings = 0;

	for (; x > 0.25; x /= 2)
		halvings++;
	for (int i = 1; i < 15; i++) {
		term *= x / i;
		sum += term;
	}
	for (; halvings > 0; halvings--)
		sum *= sum;
	return sum;
}

/* By Newton's method, which closes in from above. */
static double
square_root(double x)
{
	double root = x > 1 ? x : 1;

	for (double next = (root + x / root) / 2; next < root;
	     next = (root + x / root) / 2)
		root = next;
	return root;
}

double
polly_curve(double t)
{
	int64_t whole = (int64_t)t;
	double two_to_t = power(2, whole)
	    * exponential((t - (double)whole) * 0.693147180559945309417);
	double y = square_root(4 * t);

	/* tanh(y) is 1 in a double from 20 on. */
	if (y < 20)
		two_to_t *= 1 - 2 / (exponential(2 * y) + 1);
	return two_to_t;
}
