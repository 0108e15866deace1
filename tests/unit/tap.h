/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TAP_H
#define BACKOFF_TAP_H
/*
 * The Test Anything Protocol, as far as these tests need it. The files of a
 * room are linked to one program, which runs the TESTS of each in the order in
 * which Makefile.am lists them, and prints the plan.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* TESTS { ... }, once in a file: what it tests. */
#define TESTS \
	static void run_tests(void); \
	static struct tap_file tap_file = { NULL, run_tests }; \
	__attribute__((constructor)) static void add_tests(void) \
	{ \
		tap_add(&tap_file); \
	} \
	static void run_tests(void)

struct tap_file {
	struct tap_file *next;
	void (*run)(void);
};

/* What passed says whether the test has. */
bool ok(bool passed, const char *what);
void is_int(int64_t got, int64_t wanted, const char *what);
void is_string(const char *got, const char *wanted, const char *what);
void is_between(int64_t got, int64_t low, int64_t high, const char *what);
void skip(const char *what, const char *why);

void tap_add(struct tap_file *file);

#endif
