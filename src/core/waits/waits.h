/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_WAITS_H
#define BACKOFF_CORE_WAITS_WAITS_H
/*
 * Waits that lines of output state: in headers, in JSON, in sentences, and
 * where a REGEX points at.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/waits/when.h"

#define WAIT_TEXT 60 /* bytes of a text that cannot be read */
#define WAIT_QUOTAS 8 /* at most so many are told apart */

enum waits_wanted {
	WANTED_NOTHING,
	WANTED_HEADERS, /* --tool for a client of HTTP */
	WANTED_ALL, /* --retry-after */
};

/* The first of them that has a WHEN decides. */
enum wait_source {
	WAIT_HINT, /* a line of BACKOFF_HINT */
	WAIT_REGEX, /* the user's own REGEX */
	WAIT_HEADER,
	WAIT_KEY,
	WAIT_SENTENCE,
	WAIT_SOURCES
};

/* The last WHEN of a source; or the last text that should have been one. */
struct stated_wait {
	enum stated stated;
	struct when when;
	int64_t line; /* its number, of those that were looked at */
	char text[WAIT_TEXT + 1];
};

struct waits {
	enum waits_wanted wanted;
	bool (*has_zone)(const char *name); /* whether there is such a zone */
	uint32_t first[32], second[32]; /* letters of rows: see waits.c */

	/* What has been found so far: */
	/* In [1], what counts unless something is left of the quota. */
	struct stated_wait found[2][WAIT_SOURCES];
	bool is_left;
	struct quota {
		uint64_t key; /* a hash of "x-ratelimit-", or 0 */
		bool is_used_up, has_reset;
		struct when reset;
	} quotas[WAIT_QUOTAS];
	int64_t lines, delay_ends; /* the last line of a "retry_delay {" */
	const char *line, *end; /* which is looked at */
};

/* Forgets what was found in an earlier attempt. */
void waits_reset(struct waits *waits);

/*
 * Takes LINE, of LENGTH bytes and then a NUL, into account; removes escape
 * sequences of terminals from it.
 */
void waits_look(struct waits *waits, char *line, size_t length);

/* Takes the TEXT into account that a source points at. */
void waits_point(
    struct waits *waits, enum wait_source source, const char *text);

/*
 * What SOURCE says. The decisive one is the first that is STATED_READ; call
 * it when all lines have been looked at.
 */
const struct stated_wait *waits_of(
    const struct waits *waits, enum wait_source source);

#endif
