/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_HEADER_LINE_H
#define BACKOFF_CORE_WAITS_HEADER_LINE_H
/*
 * Headers of HTTP that state a wait, as clients print them.
 */

#include <stddef.h>

#include "core/waits/when.h"

enum header_kind {
	HEADER_NONE, /* the line is not one of them */
	HEADER_WAIT, /* its value is a WHEN */
	HEADER_RESET, /* likewise, but it counts only if nothing remains */
	HEADER_USED_UP, /* nothing remains */
	HEADER_EMPTY, /* there is no value */
	HEADER_UNREADABLE, /* the value is no WHEN */
	HEADER_RESET_UNREADABLE,
};

/* A header and its value. */
struct header_line {
	enum header_kind kind;
	struct when when;
	const char *text; /* from its name on, without blanks around it */
	size_t length;
};

/*
 * Reads LINE, of LENGTH bytes and then a NUL. Blanks, "< " or "> ", as curl -v
 * prints them, may precede the header.
 */
struct header_line header_line_read(const char *line, size_t length);

#endif
