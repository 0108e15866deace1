/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_WAIT_SCAN_H
#define BACKOFF_STREAMS_WAIT_SCAN_H
/*
 * Looks at the lines of an attempt's output for stated waits.
 */

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/judge/prefilter.h"
#include "core/waits/sources.h"

#define WAIT_POINTERS 64 /* at most so many REGEX: see wait_scan_add() */

enum wait_wanted {
	WANTED_NOTHING,
	WANTED_HEADERS, /* --tool for a client of HTTP */
	WANTED_ALL, /* --retry-after */
};

/* A REGEX of --retry-after. */
struct wait_pointer {
	const char *text;
	regex_t regex;
	char literal[PREFILTER_SIZE]; /* part of every match; "": unknown */
};

struct wait_scan {
	enum wait_wanted wanted;
	struct wait_pointer pointers[WAIT_POINTERS];
	size_t count;
	struct waits waits; /* what has been found */
};

/* Adds a REGEX. Returns NULL, or why TEXT is refused. */
const char *wait_scan_add(struct wait_scan *scan, const char *text);

/* Forgets what was found in an earlier attempt. */
void wait_scan_reset(struct wait_scan *scan);

/*
 * Takes LINE, of LENGTH bytes and then a NUL, into account. HAS_ANCHOR: a word
 * of anchor_next() may be in it. False: there is not enough memory for that.
 */
bool wait_scan_line(
    struct wait_scan *scan, const char *line, size_t length, bool has_anchor);

#endif
