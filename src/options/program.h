/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_PROGRAM_H
#define BACKOFF_OPTIONS_PROGRAM_H
/*
 * Which of the two programs this is: what the parser of their options has
 * to know. Each defines it.
 */

#include <stdint.h>

enum program_set {
	PROGRAM_BACKOFF = 1,
	PROGRAM_HERD = 2,
	PROGRAM_BOTH = 3,
};

struct program {
	enum program_set set; /* one of the two */
	const char *name;
	int64_t attempts; /* the default where no other option says one */
	/* What --help begins with, and ends with: a paragraph a line. */
	const char *synopsis;
	const char *notes;
};

extern const struct program program;

#endif
