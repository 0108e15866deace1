/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_REPORT_H
#define BACKOFF_REPORT_H
/*
 * The log: one write a line, to stderr or a file. Nothing that goes wrong
 * with it changes what the loop does.
 */

#include <stdbool.h>

#include "run.h"

enum log_format {
	LOG_TEXT,
	LOG_JSON,
};

struct report {
	const char *name; /* who, in every line */
	const char *command; /* the first word */
	const char *id;
	const struct settings *settings;
	enum log_format format;
	const char *file; /* instead of stderr, or NULL */
	int quiet; /* times -q was given */
	bool verbose;
	bool held; /* on stderr: nothing is said before report_release() */
};

/* NULL, or what cannot be had, with errno. */
const char *report_open(const struct report *report);

/* The file that holds what is not to be seen yet, or -1. */
int report_held(void);

/* What was held comes out, and what follows at once. */
void report_release(void);

void report_start(void);
void report_attempt(const struct moment *moment, int64_t pause_ns);
void report_end(const struct moment *moment, const struct ending *ending);

#endif
