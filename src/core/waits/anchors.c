/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/waits/anchors.h"

#define STEP 16
#define REACH 3 /* from the first byte that is compared to the last */
#define SMALL 0x20 /* makes a letter small */

/* The compiler turns it into what the processor has for vectors. */
typedef uint8_t bytes __attribute__((vector_size(STEP)));
typedef uint64_t words __attribute__((vector_size(STEP)));

static inline __attribute__((always_inline)) bytes
load(const char *at)
{
	bytes loaded;

	memcpy(&loaded, at, sizeof loaded);
	return loaded | SMALL;
}

/*
 * Whether a word may begin at any of the STEP places from AT on: t?y, r?se or
 * r?ma, w?i, b?c, a?ai.
 */
static inline __attribute__((always_inline)) bool
has_any(const char *at)
{
	bytes first = load(at), third = load(at + 2), fourth = load(at + 3);
	bytes found = (bytes)((first == 't') & (third == 'y'));
	words both;

	found |= (bytes)((first == 'r') & ((third == 's') | (third == 'm'))
	    & ((fourth == 'e') | (fourth == 'a')));
	found |= (bytes)((first == 'w') & (third == 'i'));
	found |= (bytes)((first == 'b') & (third == 'c'));
	found |= (bytes)((first == 'a') & (third == 'a') & (fourth == 'i'));
	both = (words)found;
	return (both[0] | both[1]) != 0;
}

static bool
begins(const char *at, const char *end, const char *word)
{
	for (; *word != '\0'; word++, at++)
		if (at >= end || (*at | SMALL) != *word)
			return false;
	return true;
}

/* The same for one place, and exactly. */
static bool
is_anchor(const char *at, const char *end)
{
	switch (*at | SMALL) {
	case 't':
		return begins(at, end, "try");
	case 'r':
		return begins(at, end, "reset") || begins(at, end, "remai");
	case 'w':
		return begins(at, end, "wait");
	case 'b':
		return begins(at, end, "back");
	case 'a':
		return begins(at, end, "avail");
	default:
		return false;
	}
}

const char *
anchor_next(const char *from, const char *end)
{
	while (from < end) {
		ptrdiff_t most = STEP;

		if (end - from >= STEP + REACH && !has_any(from)) {
			from += STEP;
			continue;
		}
		for (; most > 0 && from < end; most--, from++)
			if (is_anchor(from, end))
				return from;
	}
	return end;
}
