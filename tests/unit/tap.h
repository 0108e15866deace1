/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TAP_H
#define BACKOFF_TAP_H
/*
 * The Test Anything Protocol, as far as these tests need it. A program
 * ends with done(), which prints the plan.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failures;

static inline bool
ok(bool passed, const char *what)
{
	printf("%sok %d - %s\n", passed ? "" : "not ", ++tap_count, what);
	tap_failures += !passed;
	return passed;
}

static inline void
is_int(int64_t got, int64_t wanted, const char *what)
{
	if (!ok(got == wanted, what))
		printf("# got %" PRId64 ", wanted %" PRId64 "\n", got, wanted);
}

static inline void
is_string(const char *got, const char *wanted, const char *what)
{
	if (!ok(strcmp(got, wanted) == 0, what))
		printf("# got    %s\n# wanted %s\n", got, wanted);
}

static inline void
is_between(int64_t got, int64_t low, int64_t high, const char *what)
{
	if (!ok(got >= low && got <= high, what))
		printf("# got %" PRId64 ", wanted %" PRId64 "..%" PRId64 "\n",
		    got, low, high);
}

static inline void
skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, what, why);
}

static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures > 0;
}

#endif
