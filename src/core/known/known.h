/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_KNOWN_H
#define BACKOFF_CORE_KNOWN_KNOWN_H
/*
 * What backoff knows: which exit codes of a command, and which lines of its
 * output, are worth a retry (tools.tbl); how known systems back off
 * (presets.tbl); which command runs in the end, behind env, sudo, flock and
 * others.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"

#define TOOL_MESSAGES 48 /* no tool has more */

/* What a name, a source, a regex... below stands for; 0 is "". */
const char *known_text(uint16_t offset);

struct tool {
	uint16_t name, aliases; /* those have blanks between them */
	uint16_t source; /* of its codes: a document, or a version observed */
	uint16_t warning; /* of the trap that everyone falls into, or "" */
	/*
	 * Of a client of HTTP, which needs options to print what --retry-after
	 * and --tool look for: those that print headers, "" for all others;
	 * "curl prints no headers: add -D /dev/stderr"; "; curl -sS shows
	 * errors".
	 */
	uint16_t headers, no_headers, silent;
	/* Its first row, that of its messages, and the next tool's. */
	uint16_t codes, messages, end;
};

/*
 * Exit codes low..high, 1..255, and what they mean. Of a message: after such
 * an exit, or after 0, a line on stderr that matches regex (POSIX extended, C
 * locale) decides the verdict, whatever the code says. If several match, the
 * first of stop, success, throttle, retry decides.
 */
struct tool_row {
	uint8_t low, high;
	uint8_t verdict; /* enum verdict */
	bool on_stdout; /* a line on stdout counts too */
	uint16_t regex; /* "": it is no message */
	uint16_t meaning; /* "could not resolve host" */
};

extern const struct tool known_tools[]; /* the last has no name */
extern const struct tool_row known_rows[];

/* The tool called NAME, a base name; NULL: there is none. */
const struct tool *tool_named(const char *name);

/* The row for exit STATUS; NULL: there is none. */
const struct tool_row *tool_code(const struct tool *tool, int status);

/* Whether messages after exit STATUS have another verdict than its code. */
bool tool_needs_message(const struct tool *tool, int status);

/*
 * Its no_headers if TOOL, which may be NULL, is such a client and ARGV lacks an
 * option for headers; else NULL.
 */
const char *headers_missing(const struct tool *tool, char *const *argv);

struct preset {
	uint16_t name;
	uint16_t source; /* where the system is described */
	uint16_t options; /* what it stands for, separated by blanks */
	uint16_t fields; /* what has no option: "cap-mode=after"; or "" */
	uint16_t note; /* a difference or a remark, or "" */
	bool approximate;
};

extern const struct preset known_presets[]; /* the last has no name */

/* NULL: there is none of that NAME. */
const struct preset *preset_named(const char *name);

/* PATH without its directory; all of it if nothing would be left. */
const char *base_name(const char *path);

/*
 * Whether WORD, a COMMAND, is a command line or an assignment. If so, adds what
 * to call it, which must not show a secret: at most 60 bytes, without the
 * assignments in front, and up to a later word with "=".
 */
bool command_line_name(struct text *text, const char *word);

struct wrapped {
	/* Its base name, within argv; NULL: it is not known. */
	const char *name;
	/*
	 * The status, 0..255, with which a flock among the wrappers exits if
	 * somebody else holds the lock; -1: there is none, or it waits. The
	 * command was not run then, so its tool's table does not apply.
	 */
	int lock_conflict;
	bool is_timed; /* by timeout(1), whose own statuses are 124 and 125 */
};

/*
 * ARGV ends with NULL. An unknown option of a wrapper ends the search, because
 * its argument could be taken for the command.
 */
struct wrapped wrapped_command(char *const argv[]);

#endif
