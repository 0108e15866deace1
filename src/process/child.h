/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_CHILD_H
#define BACKOFF_PROCESS_CHILD_H
/*
 * COMMAND as a process with a tree below it: signals it, reaps it, and ends it
 * by force. supervise.c calls these functions when something happens.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/duration.h"
#include "core/judge/outcome.h"
#include "core/loop/silence.h"
#include "process/process_tree.h"
#include "process/signals.h"

/* The time between two looks at processes that cannot be signalled. */
#define REFUSED_LOOK_NS (100 * NS_PER_MS)

/* The stages of an attempt, in order: it never goes back. */
enum stage {
	STAGE_RUNNING,
	STAGE_ENDING, /* timed out, or told to end with a --grace */
	STAGE_KILLING,
	STAGE_DRAINING, /* all processes ended; their output is passed on */
	STAGE_OVER,
};

/* INT64_MAX: never. */
struct time_limit {
	int64_t at_ns; /* when to end COMMAND */
	int signal; /* to send then */
	int64_t silence_ns; /* end it after so long without output, too */
	int64_t kill_after_ns; /* from that signal to KILL */
	int64_t grace_ns; /* from a signal that tells backoff to end to KILL */
};

struct child {
	const struct time_limit *limit;
	const struct relay *relay; /* or NULL */
	bool is_hook; /* it gets only signals that tell backoff to end */
	struct process_tree tree;
	bool loses_orphans; /* backoff does not adopt them: no SIGCHLD either */
	struct process_census left; /* whom the last signal reached */
	pid_t pid; /* 0 once it is reaped, so that nothing is sent to it */
	int wait_status;
	enum stage stage;
	bool limit_passed; /* the time limit has taken effect */
	struct silence silence;
	bool is_stopped; /* COMMAND, by a signal such as TSTP */
	bool is_hurried; /* by the limit, or because backoff must end */
	int64_t kill_ns; /* when to send KILL; INT64_MAX: never, or it was */
	int64_t killed_ns; /* when KILL was sent */
	int64_t give_up_ns; /* until when to wait for what refuses signals */
	int64_t patience_ns; /* until when to be patient; 0: not begun */
	bool is_patient; /* waits for leftovers that hold the output open */
	struct outcome outcome;
};

/*
 * Reaps everything that has ended, including adopted orphans. Returns whether
 * there are other children.
 */
bool child_reap(struct child *child);

/* Whether COMMAND has ended, reaped or not. */
bool child_is_dead(const struct child *child);

/* Whether COMMAND has been killed by SIGNAL and not been reaped yet. */
bool child_has_died_by(const struct child *child, int signal);

/*
 * Whether COMMAND has not run until now since the last call. If it stopped and
 * continued between the two, nobody knows when: then it counts as stopped.
 */
bool child_was_stopped(struct child *child);

/* Passes a signal on to COMMAND, which must not have been reaped. */
void child_pass_on(struct child *child, const struct arrival *arrival);

/* Starts --grace, after COMMAND has been told to end. */
void child_begin_grace(struct child *child);

/* The time is up: sends --signal to the tree. */
void child_time_out(struct child *child, int64_t now_ns);

/* Sends KILL to the tree. */
void child_kill(struct child *child);

/* Records what child_kill() reached, for the message about --kill-after. */
void child_note_killed(struct child *child);

/*
 * To be called when a process may have ended or a time may have come: enters
 * the next stage if there is nothing left to wait for.
 */
void child_look_what_is_left(struct child *child);

#endif
