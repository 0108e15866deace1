/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_SOURCES_H
#define BACKOFF_CORE_WAITS_SOURCES_H
/*
 * Waits that lines of output state: in headers, in JSON, in sentences, and
 * where a REGEX points at. The table of what is known is waits.def.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/waits/when.h"

#define WAIT_TEXT 60 /* bytes of a text that cannot be read */

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

/* What has been found so far. */
struct waits {
	struct stated_wait found[WAIT_SOURCES];
	struct stated_wait reset; /* of a header that counts only if ... */
	bool is_used_up; /* ... nothing remains */
	int64_t lines;
	/* Whether there is such a zone; NULL: there is. */
	bool (*has_zone)(const char *name);
};

/* Forgets what was found in an earlier attempt. */
void waits_reset(struct waits *waits);

/* Takes a header into account: LINE has LENGTH bytes, and then a NUL. */
void waits_look_at_header(struct waits *waits, const char *line, size_t length);

/* Takes the keys and the sentences of a LINE into account. */
void waits_look_at_text(struct waits *waits, const char *line, size_t length);

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
