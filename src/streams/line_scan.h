/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_LINE_SCAN_H
#define BACKOFF_STREAMS_LINE_SCAN_H
/*
 * What the lines of an attempt's output tell: matches of the conditions,
 * Retry-After headers, the line of stderr that the log quotes. Constant
 * memory and bounded time: of a longer line only the first SCAN_LINE bytes
 * count, as regexec(3) may take time quadratic in the length.
 */

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exit_codes.h"
#include "core/known/tools.h"
#include "core/prefilter.h"
#include "options/option_types.h"

#define SCAN_LINE 4096
#define SCAN_QUOTE 120 /* of a line that is quoted */
#define SCAN_CONDITIONS 64 /* at most, that the user gives: see scan_add() */
#define SCAN_MESSAGES 32 /* no tool has more */

struct quote {
	size_t length;
	char text[SCAN_QUOTE + 1];
};

/* One condition: a line that matches TEXT means VERDICT. */
struct condition {
	enum verdict verdict;
	const char *text;
	bool is_known; /* it is a message of a tool, on stderr only: */
	struct tool_message message;
	regex_t regex;
	char literal[PREFILTER_SIZE]; /* in every match; "": none is known */
	bool matched;
	struct quote quote; /* the line, if it was on stderr; else "" */
};

struct scan {
	struct condition conditions[SCAN_CONDITIONS + SCAN_MESSAGES];
	size_t count;
	enum watch watch;
	bool has_conditions; /* of the user */
	bool has_messages; /* of a tool */
	bool needs_success; /* one of the conditions is for VERDICT_SUCCESS */
	bool retry_after; /* look for such headers */
	bool has_union;
	regex_t unfiltered; /* any of the messages without a literal */

	/* Found: */
	int64_t retry_after_ns; /* the last one, < 0: none */
	/* Of stderr, with a letter in it, or "". After scan_finish(). */
	struct quote last_line;
};

/* One stream of an attempt, between two calls. Zero is its start. */
struct scan_stream {
	bool is_stderr;
	size_t length; /* of the line so far, as far as it counts */
	char line[SCAN_LINE + 1];
	/* What stands after the line's last carriage return. */
	bool returned; /* one has come; what follows it begins anew */
	size_t shown_length;
	char shown[SCAN_QUOTE];
};

/*
 * Adds a condition, at most SCAN_CONDITIONS. NULL, or why TEXT is refused.
 */
const char *scan_add(struct scan *scan, enum verdict verdict, const char *text);

/* Adds the messages of TOOL, last of all. False: it has none. */
bool scan_add_tool(struct scan *scan, const struct tool *tool);

/* Whether that stream has to be looked at. */
bool scan_needs(const struct scan *scan, bool is_stderr);

/* Forgets what was found. */
void scan_reset(struct scan *scan);

/*
 * Further bytes of the stream. Returns how many were looked at: fewer than
 * COUNT if that took so long that it is time to look at signals.
 */
size_t scan_bytes(struct scan *scan, struct scan_stream *stream,
    const char *bytes, size_t count);

/* The stream has ended: what it ends with is a line too. */
void scan_finish(struct scan *scan, struct scan_stream *stream);

/* The condition that decides: stop, success, throttle, retry; or NULL. */
const struct condition *scan_match(const struct scan *scan);

/* The same of the messages that a tool has for exit STATUS. */
const struct condition *scan_message(const struct scan *scan, int status);

#endif
