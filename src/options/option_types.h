/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_OPTIONS_OPTION_TYPES_H
#define BACKOFF_OPTIONS_OPTION_TYPES_H
/*
 * What the options say, as plain data: a struct for each of those that act on
 * it, and the enums of the values. Nothing here has an effect.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/forecast.h"
#include "core/known/tools.h"
#include "core/settings.h"
#include "core/shared_name.h"
#include "options/herd_options.h"

struct scan; /* of streams/line_scan.h */

enum stdin_mode {
	STDIN_REPLAY,
	STDIN_INHERIT,
	STDIN_NULL,
};

enum hold_what {
	HOLD_NOTHING,
	HOLD_STDOUT,
	HOLD_ALL,
};

/* Which output the conditions and Retry-After are looked for in. */
enum watch {
	WATCH_BOTH,
	WATCH_STDOUT,
	WATCH_STDERR,
};

struct streams {
	enum stdin_mode stdin_mode;
	int64_t spool_limit;
	enum hold_what hold;
	enum watch watch;
	struct scan *scan; /* what to watch for, or NULL */
};

enum log_format {
	LOG_TEXT,
	LOG_JSON,
};

struct log_options {
	const char *name; /* who, in every line */
	const char *command; /* the first word */
	const char *id; /* NULL where --id was not given */
	const struct settings *settings;
	const char *further; /* settings in force beside them, or NULL */
	const char *headers; /* what COMMAND needs to print such, or NULL */
	enum log_format format;
	const char *file; /* instead of stderr, or NULL */
	int quiet; /* times -q was given */
	bool verbose;
	bool held; /* on stderr: nothing is said before log_release() */
};

struct job {
	char *const *argv; /* COMMAND */
	const struct tool *tool; /* what is known of it, or NULL; but not of */
	int lock_conflict; /* this status, which is that of a flock; or -1 */
	int signal; /* what a timeout sends first */
	int64_t kill_after_ns;
	int64_t grace_ns;
	const char *before_retry; /* scripts for sh, or NULL */
	const char *at_end;
	bool quiet_success; /* a success leaves no trace */
	bool has_doors; /* something is shared with other runs */
};

/* A run that gave up puts off the next ones of its name. */
struct defer_options {
	char name[SHARED_NAME_SIZE]; /* "": it does not */
	struct range limits; /* of the window */
};

/* So many attempts at once of all runs of that name. */
struct slots_options {
	char name[SHARED_NAME_SIZE]; /* "": as many as there are */
	int64_t count;
};

/* While a service is down, one run of that name tries, and all others wait. */
struct gate_options {
	char name[SHARED_NAME_SIZE]; /* "": there is none */
	bool list; /* print all, and run nothing */
	int64_t wait_ns; /* at the most, in all */
};

/* What runs share. */
struct shared_options {
	const char *directory; /* of --state-dir, or NULL */
	struct gate_options gate;
	struct defer_options defer;
	struct slots_options slots;
};

struct options {
	struct settings settings;
	struct job job;
	struct streams streams; /* with a scan where one is needed */
	struct log_options log;
	struct shared_options shared;
	int wake_on; /* signal, or 0 */
	const char *preset; /* NULL: none was given */
	bool seeded;
	int64_t seed;
	int64_t steps; /* of --steps, 0 where it was not given */
	bool plan; /* show it, run nothing */
	struct outages outages; /* of the plan */
	struct herd herd;
};

#endif
