/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WAITS_HEADER_LINE_H
#define BACKOFF_CORE_WAITS_HEADER_LINE_H
/*
 * Headers of HTTP that state a wait, as clients print them.
 */

#include <stddef.h>

#include "core/judge/outcome.h"
#include "core/waits/when.h"

/* A header and its value. */
struct header_line {
	enum stated stated; /* STATED_UNWANTED: the line states no wait */
	bool is_reset; /* it counts only if nothing remains */
	bool is_used_up; /* nothing remains */
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
