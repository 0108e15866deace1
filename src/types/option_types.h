/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_TYPES_OPTION_TYPES_H
#define BACKOFF_TYPES_OPTION_TYPES_H
/*
 * The options as plain data: a struct for each module that acts on them, and
 * the enums of the values. There is no code here.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/gate.h"
#include "core/known/known.h"
#include "core/loop/loop.h"
#include "core/simulation/simulation.h"

struct scan; /* of streams/streams.h */

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

struct streams {
	enum stdin_mode stdin_mode;
	enum hold_what hold;
	struct scan *scan; /* what to look for in the output, or NULL */
};

/* Of --plan, too, where an annotation is of no use. */
enum log_format {
	LOG_TEXT,
	LOG_JSON,
	LOG_GITHUB, /* text, and an annotation */
};

struct log_options {
	const char *name; /* the name in every line */
	const char *word; /* the first word of COMMAND, which may be secret */
	const char *command; /* the same, or what may be shown of it */
	const char *id; /* BACKOFF_ID: a random UUID */
	const struct settings *settings;
	const char *in_force; /* the options, and where they come from */
	const char *headers; /* how COMMAND would print headers, or NULL */
	enum log_format format;
	const char *file; /* the log file, or NULL for stderr */
	int quiet; /* how often -q was given */
	bool verbose;
	bool held; /* stderr gets nothing before log_release() */
};

struct job {
	char *const *argv; /* COMMAND */
	const struct tool *tool; /* whose table applies to COMMAND, or NULL */
	const struct tool *known; /* whose table would apply with --tool */
	struct wrapped wrapped; /* what COMMAND runs in the end */
	int signal; /* the signal that a timeout sends first */
	int64_t grace_ns;
	const char *before_retry; /* scripts for sh, or NULL */
	const char *at_end;
	bool quiet_success; /* a success prints nothing at all */
	bool quiet_repeats; /* nor does a failure after a run that gave up */
	bool has_doors; /* something is shared with other runs */
};

/* --defer: after a run gives up, skip runs of NAME for a while. */
struct defer_options {
	char name[SHARED_NAME_SIZE]; /* "": not given */
	struct range limits; /* of the window */
};

#define SLOTS_MOST 1024

/* --slots: at most this many concurrent attempts of all runs of NAME. */
struct slots_options {
	char name[SHARED_NAME_SIZE]; /* "": no limit */
	bool fleet; /* among machines */
	int64_t count;
	int64_t wait_ns; /* the longest wait for one, in all */
};

/* --gate: while a service is down, one run of NAME probes, and others wait. */
struct gate_options {
	char name[SHARED_NAME_SIZE]; /* "": there is none */
	bool fleet; /* among machines */
	bool list; /* print all, and run nothing */
	bool open; /* open it by hand, and run nothing */
	int64_t wait_ns; /* the longest wait, in all */
};

/* What runs share. */
struct shared_options {
	const char *directory; /* of --state-dir, or NULL */
	struct gate_options gate;
	struct defer_options defer;
	struct slots_options slots;
};

/* Which clients share a gate, if any do. */
enum herd_gate {
	HERD_NO_GATE,
	HERD_GATE_MACHINE, /* those of one machine */
	HERD_GATE_FLEET, /* all */
};

/* What backoff-herd is to simulate. */
struct herd {
	int64_t clients; /* 0: not given */
	/* Not given: down_ns is -1; capacity or limit is 0. */
	struct service service;
	int64_t runs;
	enum herd_gate gate;
	int64_t machines; /* >= 1 */
};

struct options {
	struct settings settings;
	struct job job;
	struct streams streams; /* with a scan if one is needed */
	struct log_options log;
	struct shared_options shared;
	int wake_on; /* the signal, or 0 */
	const char *preset; /* its name, or NULL */
	int64_t seed; /* < 0: none was given */
	bool plan; /* print the plan and run nothing */
	struct herd herd;
};

#endif
