/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/waits/anchors.h"

#define STEP 16
#define BLOCK (4 * STEP)
#define REACH 2 /* from the first byte that is compared to the last */
#define BEHIND 3 /* from the beginning of a word to what is looked for */
#define SMALL 0x20 /* makes a letter small */

/* The compiler turns it into what the processor has for vectors. */
typedef uint8_t bytes __attribute__((vector_size(STEP)));
typedef uint64_t words __attribute__((vector_size(STEP)));

/* By address: as a value, a vector has no settled ABI without SSE. */
static inline __attribute__((always_inline)) void
load(bytes *loaded, const char *at)
{
	memcpy(loaded, at, sizeof *loaded);
	*loaded |= SMALL;
}

/* Adds where a word's rarest part begins: t[ry], [res]et, b[ack], rem[ai]. */
static inline __attribute__((always_inline)) void
add_parts(bytes *found, const char *at)
{
	bytes first, second, third;

	load(&first, at);
	load(&second, at + 1);
	load(&third, at + 2);
	*found |= (bytes)((first == 'a') & (second == 'i'))
	    | (bytes)((first == 'r') & (second == 'y'))
	    | (bytes)((first == 'r') & (second == 'e') & (third == 's'))
	    | (bytes)((first == 'a') & (second == 'c') & (third == 'k'));
}

static inline __attribute__((always_inline)) bool
has_part(const char *at)
{
	bytes found = { 0 };
	words both;

	for (int step = 0; step < BLOCK; step += STEP)
		add_parts(&found, at + step);
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
	const char *at = from;

	while (at < end) {
		const char *word = at - from > BEHIND ? at - BEHIND : from;
		bool is_whole = end - at >= BLOCK + REACH;

		if (is_whole && !has_part(at)) {
			at += BLOCK;
			continue;
		}
		at = is_whole ? at + BLOCK : end;
		for (; word < at; word++)
			if (is_anchor(word, end))
				return word;
	}
	return end;
}
