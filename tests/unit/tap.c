/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdio.h>

#include "unit/tap.h"

static struct test *tests;
static int count, failures;

/* The order in which a compiler adds those of a file is its own. */
void
tap_add(struct test *test)
{
	struct test **at = &tests;

	while (*at != NULL
	    && (strcmp((*at)->file, test->file) != 0
	        || (*at)->line < test->line))
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

bool
ok(bool passed, const char *what)
{
	printf("%sok %d - %s\n", passed ? "" : "not ", ++count, what);
	failures += !passed;
	return passed;
}

void
is_int(int64_t got, int64_t wanted, const char *what)
{
	if (!ok(got == wanted, what))
		printf("# got %" PRId64 ", wanted %" PRId64 "\n", got, wanted);
}

void
is_string(const char *got, const char *wanted, const char *what)
{
	if (!ok(strcmp(got, wanted) == 0, what))
		printf("# got    %s\n# wanted %s\n", got, wanted);
}

void
is_between(int64_t got, int64_t low, int64_t high, const char *what)
{
	if (!ok(got >= low && got <= high, what))
		printf("# got %" PRId64 ", wanted %" PRId64 "..%" PRId64 "\n",
		    got, low, high);
}

void
skip(const char *what, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++count, what, why);
}

int
main(void)
{
	for (const struct test *test = tests; test != NULL; test = test->next)
		test->run();
	printf("1..%d\n", count);
	return failures > 0;
}
