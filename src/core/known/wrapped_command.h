/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_KNOWN_WRAPPED_COMMAND_H
#define BACKOFF_CORE_KNOWN_WRAPPED_COMMAND_H
/*
 * Which command an argument vector runs in the end, seen through env, sudo,
 * nice, ionice, timeout, nohup, flock and stdbuf, in any order.
 */

/* PATH without its directory; all of it where nothing would be left. */
const char *base_name(const char *path);

struct wrapped {
	/* Its base name, within argv; NULL: it cannot be told. */
	const char *name;
	/*
	 * What a flock on the way exits with where another one has the lock,
	 * 0..255; -1: there is none, or it waits. It says nothing of the
	 * command, which was not run.
	 */
	int lock_conflict;
};

/*
 * ARGV ends with NULL. An option that is not known here ends the search: a
 * guess could take its argument for the command.
 */
struct wrapped wrapped_command(char *const argv[]);

#endif
