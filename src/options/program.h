/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_PROGRAM_H
#define BACKOFF_OPTIONS_PROGRAM_H
/*
 * What the option parser needs to know about the program. Each of the two
 * programs defines it.
 */

#include <stdint.h>

enum program_set {
	PROGRAM_BACKOFF = 1,
	PROGRAM_HERD = 2,
	PROGRAM_BOTH = 3,
	PROGRAM_PRESET = 4, /* what only a preset can set */
};

struct program {
	enum program_set set; /* one of the two */
	const char *name;
	int64_t attempts; /* the default, unless other options change it */
	/* Each line is a paragraph, but lines that begin with a blank. */
	const char *synopsis; /* the beginning of --help */
	const char *brief; /* the end of it, if there is a shorter --help */
	const char *notes; /* the end of the whole */
	const char *(*limits)(void); /* what --version adds; may be NULL */
};

extern const struct program program;

#endif
