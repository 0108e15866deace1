/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FUZZ_H
#define BACKOFF_FUZZ_H
/*
 * What the targets of make fuzz have in common: libFuzzer calls it with one
 * input after the other.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A target: looks at SIZE bytes and a NUL, which it may change. */
static void fuzz(char *string, size_t size);

/* A copy, in memory that ends right behind it; free it. */
static inline char *
fuzz_copy(const void *bytes, size_t size)
{
	char *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *string = malloc(size + 1);

	if (string == NULL)
		abort();
	if (size > 0)
		memcpy(string, data, size);
	string[size] = '\0';
	fuzz(string, size);
	free(string);
	return 0;
}

/* Ends with a finding, which is WHAT, unless it HOLDS. */
static inline void
fuzz_require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "FINDING: %s\n", what);
	abort();
}

static inline void
fuzz_same(const char *one, const char *other, const char *what)
{
	if (strcmp(one, other) != 0)
		fprintf(stderr, "one:   %s\nother: %s\n", one, other);
	fuzz_require(strcmp(one, other) == 0, what);
}

/*
 * A REGEX is the user's own: for a long one, or one that repeats repetitions,
 * regcomp(3) may take all memory. False: not to be tried.
 */
static inline int
fuzz_regex_is_modest(const char *regex)
{
	int repetitions = 0;

	for (const char *at = regex; *at != '\0'; at++)
		repetitions += *at == '+' || *at == '*' || *at == '?';
	return strlen(regex) <= 64 && repetitions <= 4
	    && strchr(regex, '{') == NULL;
}

#endif
