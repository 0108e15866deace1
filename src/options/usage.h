/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_USAGE_H
#define BACKOFF_OPTIONS_USAGE_H
/*
 * What the options need to know about the program; usage errors, and the exit
 * after printing.
 */

#include <stddef.h>
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

/* Each of the two programs defines it. */
extern const struct program program;

/*
 * Prints "backoff: WHAT: TEXT: WHY" on stderr and exits with 125. TEXT and WHY
 * may be NULL.
 */
_Noreturn void usage_refuse(
    const char *what, const char *text, const char *why);

/* Allocates COUNT zeroed elements of SIZE bytes for OPTION, or exits. */
void *usage_allocate(const char *option, size_t count, size_t size);

/* Exits after printing to stdout: 0, or 125 if that could not be written. */
_Noreturn void usage_finish(void);

#endif
