/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_STREAMS_SCAN_H
#define BACKOFF_STREAMS_SCAN_H
/*
 * Looks at the lines of an attempt's output for matches of the conditions,
 * for stated waits and for the line of stderr that the log quotes. It
 * uses constant memory and bounded time: only the first SCAN_LINE bytes of a
 * line count, as regexec(3) may take time quadratic in the length.
 */

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/judge/outcome.h"
#include "core/known/known.h"
#include "core/waits/waits.h"

#define SCAN_LINE 4096
#define SCAN_QUOTE 120 /* bytes of a quoted line */
#define SCAN_CONDITIONS 64 /* the most that a user can give */
#define SCAN_WAIT_REGEXES 64 /* likewise, of --retry-after */

struct quote {
	size_t length;
	char text[SCAN_QUOTE + 1];
};

/* A REGEX that is compared with lines. */
struct line_regex {
	const char *text;
	regex_t compiled;
	/*
	 * Part of every match, or "": nothing is known. For 36 MB of lines, to
	 * search for it first takes 0.06 s instead of 0.2 s with glibc, and of
	 * 2.5 s with musl.
	 */
	char literal[32];
};

/* One condition: a line that matches REGEX means VERDICT. */
struct condition {
	enum verdict verdict;
	const struct tool_row *message; /* of a tool; NULL: the user's */
	struct line_regex regex;
	bool matched;
	struct quote quote; /* the matching line if it was on stderr, or "" */
};

struct scan {
	struct condition conditions[SCAN_CONDITIONS + TOOL_MESSAGES];
	size_t count;
	/*
	 * The REGEXes of --retry-after; a WHEN is their first group, or
	 * follows the match.
	 */
	struct line_regex wait_regexes[SCAN_WAIT_REGEXES];
	size_t wait_regexes_count;
	struct waits waits;
	bool spares_stdout; /* headers alone are no reason to watch it */
	bool has_conditions; /* of the user */
	bool has_messages; /* of a tool */
	bool has_messages_on_stdout; /* among them */
	bool has_union; /* which is any_message */
	struct line_regex any_message; /* any of those without a literal */

	/* What was found: */
	bool has_line; /* where messages of the tool may be */
	bool lacks_memory; /* a line could not be compared */
	/* Of stderr, with a letter in it, or ""; set by scan_finish(). */
	struct quote last_line;
};

/* One stream of an attempt; all zero at first. */
struct scan_stream {
	bool is_stderr;
	bool is_shared; /* stdout, but the same open file as stderr */
	size_t length; /* of the line so far, at most SCAN_LINE */
	char line[SCAN_LINE + 2];
	bool is_cut; /* it is longer, so its end is not in line */
	/* The part of the line after its last carriage return. */
	bool returned; /* a carriage return came: the next byte starts anew */
	size_t shown_length;
	char shown[SCAN_QUOTE + 1]; /* one byte more tells what is cut in two */
};

/*
 * Adds a condition, at most SCAN_CONDITIONS. Returns NULL, or why TEXT is
 * refused.
 */
const char *scan_add(struct scan *scan, enum verdict verdict, const char *text);

/* Adds a REGEX of --retry-after, likewise. */
const char *scan_add_wait_regex(struct scan *scan, const char *text);

/* Adds the messages of TOOL, after all conditions. */
void scan_add_tool(struct scan *scan, const struct tool *tool);

/* Whether that stream has to be looked at. */
bool scan_needs(const struct scan *scan, const struct scan_stream *stream);

/* Forgets what was found in an earlier attempt. */
void scan_reset(struct scan *scan);

/* Scans further bytes of the stream. */
void scan_bytes(struct scan *scan, struct scan_stream *stream,
    const char *bytes, size_t count);

/* The stream has ended: scans its last line, which may lack a newline. */
void scan_finish(struct scan *scan, struct scan_stream *stream);

/* The match that decides: the first of stop, success, throttle, retry. */
const struct condition *scan_match(const struct scan *scan);

/* The same for the messages that a tool has for exit STATUS. */
const struct condition *scan_message(const struct scan *scan, int status);

#endif
