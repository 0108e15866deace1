/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_WRAPPED_COMMAND_H
#define BACKOFF_CORE_KNOWN_WRAPPED_COMMAND_H
/*
 * Finds the command that runs in the end, behind env, sudo, flock and others.
 */

#include <stdbool.h>

#include "core/base/text.h"

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
