/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_TABLES_H
#define BACKOFF_CORE_KNOWN_TABLES_H
/*
 * What backoff knows: which exit codes of a command, and which lines of its
 * output, are worth a retry (tools.def); how known systems back off
 * (presets.def).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/judge/outcome.h"

#define TOOL_MESSAGES 48 /* no tool has more */

struct tool {
	/* Texts, see tool_text(); the other names have blanks between them. */
	uint16_t name, aliases;
	uint16_t source; /* of its codes: a document, or a version observed */
	uint16_t warning; /* of the trap that everyone falls into, or "" */
};

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

/*
 * A text of a struct tool. (Pointers would have to be relocated at each start.)
 */
const char *tool_text(uint16_t offset);

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

/*
 * An HTTP client, which needs options to print what --retry-after and --tool
 * look for.
 */
struct http_client {
	char name[8];
	char letters[8], options[72]; /* with which it prints headers */
	char prints_none[48]; /* "curl prints no headers: add -D /dev/stderr" */
	char shows_errors[32]; /* "; curl -sS shows errors" */
};

/* NULL: NAME, which may be NULL, is not known. */
const struct http_client *http_client(const char *name);

/*
 * Its prints_none if ARGV lacks an option for headers; NULL: ARGV has one, or
 * NAME is not known.
 */
const char *headers_missing(const char *name, char *const *argv);

struct preset {
	const char *name;
	bool approximate;
	const char *fields; /* what has no option: "cap-mode=after"; or "" */
	const char *options; /* what it stands for, separated by blanks */
	const char *source; /* where the system is described */
	const char *note; /* a difference or a remark, or "" */
};

/*
 * Advances PRESET to the next one in the order of presets.def, or, if it is
 * all zero, to the first. False: there is none.
 */
bool presets_next(struct preset *preset);

/* Finds the preset called NAME. False: there is none. */
bool presets_find(struct preset *preset, const char *name);

#endif
