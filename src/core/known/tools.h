/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_TOOLS_H
#define BACKOFF_CORE_KNOWN_TOOLS_H
/*
 * What backoff knows about commands: which of their exit codes, and which
 * lines of their output, are worth a retry. The data are in tools.def.
 */

#include <stdbool.h>
#include <stddef.h>

#include "core/judge/outcome.h"

#define TOOL_MESSAGES 48 /* no tool has more */

/* A tool of the table; constant. */
struct tool;

/*
 * Exit codes low..high, 1..255, and what they mean. Of a message: after such
 * an exit, or after 0, a line on stderr that matches regex (POSIX extended, C
 * locale) decides the verdict, whatever the code says. If several match, the
 * first of stop, success, throttle, retry decides.
 */
struct tool_row {
	int low, high;
	enum verdict verdict;
	bool on_stdout; /* a line on stdout counts too */
	const char *regex; /* NULL: it is no message */
	const char *meaning; /* "could not resolve host" */
};

/* The tool called NAME, a base name; NULL: there is none. */
const struct tool *tool_named(const char *name);

/* The tools in the order of the table; NULL after the last. */
const struct tool *tool_at(size_t index);

const char *tool_name(const struct tool *tool);
/* Its other names, separated by blanks, or "". */
const char *tool_aliases(const struct tool *tool);
/* Where its codes are documented, or with which version they were observed. */
const char *tool_source(const struct tool *tool);
/* The trap that everyone falls into, or "". */
const char *tool_warning(const struct tool *tool);

/* The row for exit STATUS; false: it is not in the table. */
bool tool_code(const struct tool *tool, int status, struct tool_row *row);

/* The rows of a tool in the order of the table; false after the last. */
bool tool_code_at(const struct tool *tool, size_t index, struct tool_row *row);
bool tool_message_at(
    const struct tool *tool, size_t index, struct tool_row *row);

/* Whether messages after exit STATUS have another verdict than its code. */
bool tool_needs_message(const struct tool *tool, int status);

/* Whether exit STATUS is a stop by itself, whatever the output says. */
bool tool_stops(const struct tool *tool, int status);

#endif
