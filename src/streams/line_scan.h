/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_LINE_SCAN_H
#define BACKOFF_STREAMS_LINE_SCAN_H
/*
 * What the lines of an attempt's output tell: matches of the conditions,
 * Retry-After headers, the last line of stderr. Constant memory: of a line
 * longer than SCAN_LINE only its beginning counts.
 */

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/exit_codes.h"
#include "core/literal.h"
#include "core/known/tools.h"

#define SCAN_LINE 65536
#define SCAN_LAST 121 /* of the last line, with its terminator */
#define SCAN_CONDITIONS 64 /* at most, that the user gives: see scan_add() */
#define SCAN_MESSAGES 32 /* no tool has more */

/* One condition: a line that matches TEXT means VERDICT. */
struct condition {
	enum verdict verdict;
	const char *text;
	bool is_known; /* it is a message of a tool, on stderr only: */
	struct tool_message message;
	regex_t regex;
	char literal[LITERAL_SIZE]; /* in every match; "": none was found */
	bool matched;
};

struct scan {
	struct condition conditions[SCAN_CONDITIONS + SCAN_MESSAGES];
	size_t count;
	bool needs_success; /* one of them is for VERDICT_SUCCESS */
	bool needs_stdout; /* stderr is always looked at */
	bool retry_after; /* look for such headers; set needs_stdout too */

	/* Found: */
	int64_t retry_after_ns; /* the last one, < 0: none */
	char last_line[SCAN_LAST]; /* of stderr, "" */
};

/* One stream of an attempt, between two calls. Zero is its start. */
struct scan_stream {
	bool is_stderr;
	bool skipping; /* the rest of a line that was too long */
	size_t length;
	char line[2 * SCAN_LINE + 1];
};

/*
 * Adds a condition, at most SCAN_CONDITIONS. NULL, or why TEXT is refused.
 */
const char *scan_add(struct scan *scan, enum verdict verdict, const char *text);

/* Adds the messages of TOOL, last of all. False: it has none. */
bool scan_add_tool(struct scan *scan, const struct tool *tool);

/* Forgets what was found. */
void scan_reset(struct scan *scan);

/* COUNT <= SCAN_LINE further bytes of the stream. */
void scan_bytes(struct scan *scan, struct scan_stream *stream,
    const char *bytes, size_t count);

/* The stream has ended: what it ends with is a line too. */
void scan_finish(struct scan *scan, struct scan_stream *stream);

/* The condition that decides: stop, success, throttle, retry; or NULL. */
const struct condition *scan_match(const struct scan *scan);

/* The same of the messages that a tool has for exit STATUS. */
const struct tool_message *scan_message(const struct scan *scan, int status);

#endif
