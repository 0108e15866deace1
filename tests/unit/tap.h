/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TAP_H
#define BACKOFF_TAP_H
/*
 * The Test Anything Protocol, as far as these tests need it. The files of a
 * room are linked to one program, which runs the tests of each file in the
 * order in which Makefile.am lists them, and prints the plan.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* TEST(NAME) { ... }: those of a file run in their order in it. */
#define TEST(name) \
	static void test_##name(void); \
	__attribute__((constructor)) static void add_##name##_test(void) \
	{ \
		static struct test test = { \
			.file = __FILE__, .line = __LINE__, .run = test_##name \
		}; \
		tap_add(&test); \
	} \
	static void test_##name(void)

struct test {
	struct test *next;
	const char *file;
	int line;
	void (*run)(void);
};

/* What passed says whether the test has. */
bool ok(bool passed, const char *what);
void is_int(int64_t got, int64_t wanted, const char *what);
void is_string(const char *got, const char *wanted, const char *what);
void is_between(int64_t got, int64_t low, int64_t high, const char *what);
void skip(const char *what, const char *why);

void tap_add(struct test *test);

#endif
