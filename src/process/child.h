/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_CHILD_H
#define BACKOFF_PROCESS_CHILD_H
/*
 * COMMAND as a process with a tree below it: how it is signalled, reaped,
 * and brought to its end by force. supervise.c tells it what happens.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/duration.h"
#include "core/outcome.h"
#include "process/process_tree.h"
#include "process/signals.h"

/* From one look to the next at what cannot be signalled. */
#define REFUSED_LOOK_NS (100 * NS_PER_MS)

/* Each stage is left for a later one only. */
enum stage {
	STAGE_RUNNING,
	STAGE_ENDING, /* timed out, or told to end with a --grace */
	STAGE_KILLING,
	STAGE_DRAINING, /* all is over but what it wrote */
	STAGE_OVER,
};

/* What is never is INT64_MAX. */
struct time_limit {
	int64_t at_ns; /* the moment to end it by force */
	int signal; /* what it is sent then */
	int64_t kill_after_ns; /* from that signal to KILL */
	int64_t grace_ns; /* from a signal that ends us to KILL */
};

struct child {
	const struct time_limit *limit;
	const struct relay *relay; /* or NULL */
	struct process_tree tree;
	bool loses_orphans; /* they do not come to us, nor does their SIGCHLD */
	struct process_census left; /* what the last signal to it met */
	pid_t pid; /* 0 as soon as it is reaped: nothing is sent to it then */
	int wait_status;
	enum stage stage;
	bool limit_passed; /* there is no further moment to act by it */
	bool is_hurried; /* by the limit, or as we are told to end */
	int64_t kill_ns; /* the moment of KILL, as long as it is to come */
	int64_t give_up_ns; /* until then it is waited for what refuses */
	int64_t patience_ns; /* the moment at which it ends; 0: not begun */
	bool is_patient;
	struct outcome outcome;
};

/* Everything that has ended, orphans that came to us included. */
void child_reap(struct child *child);

/* COMMAND has ended, though it may not have been reaped yet. */
bool child_is_dead(const struct child *child);

/* COMMAND has been killed by SIGNAL, but not been reaped yet. */
bool child_has_died_by(const struct child *child, int signal);

/* Passes a signal on to COMMAND, which must not have been reaped. */
void child_pass_on(struct child *child, const struct arrival *arrival);

/* COMMAND has been told to end, and so its tree has --grace to do so. */
void child_begin_grace(struct child *child);

/* Its time is up: sends --signal to the tree. */
void child_time_out(struct child *child, int64_t now_ns);

/* Sends KILL to the tree. */
void child_kill(struct child *child);

/* Notes whom it met, for who asks what --kill-after had to kill. */
void child_note_killed(struct child *child);

/*
 * COMMAND, or more, may have ended, or the time for that: goes on to the
 * next stage where there is nothing left to wait for.
 */
void child_look_what_is_left(struct child *child);

#endif
