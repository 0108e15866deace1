/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_SIGNAL_QUEUE_H
#define BACKOFF_SYSTEM_SIGNAL_QUEUE_H
/*
 * Signals, in the order of their arrival, with what the system knows of who has
 * sent them. They are always blocked, and so none arrives between a test and a
 * wait.
 */

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct queued_signal {
	int signal;
	bool is_by_process; /* by kill(2) and its kind; else by the system */
	pid_t sender; /* then */
};

/*
 * Begins to take SIGNALS, which are blocked. Returns a descriptor, closed on
 * exec, that can be read as long as one is there; < 0: errno.
 */
int signal_queue_open(const sigset_t *signals);

/* The descriptor has been moved to FD. */
void signal_queue_is_at(int fd);

/* From now on only SIGNALS, a part of the same, make it readable. */
void signal_queue_narrow(const sigset_t *signals);

/* Takes the first. False: there is none. */
bool signal_queue_take(struct queued_signal *queued);

/*
 * poll(2), for LEFT_NS (INT64_MAX: for ever). The descriptor of the queue has
 * to be among WATCHED.
 */
int signal_queue_poll(struct pollfd *watched, int count, int64_t left_ns);

/* All signals that have come and were not taken. */
void signal_queue_pending(sigset_t *pending);

/* Forgets all of SIGNALS, which are blocked, that have come. Any: true. */
bool signal_queue_drop(const sigset_t *signals);

/*
 * For a wait with a mask of its own: from now on HANDLER gets the COUNT
 * SIGNALS, those among them that were not taken first. Until they are retaken.
 */
void signal_queue_lend(const int *signals, size_t count, void (*handler)(int));
void signal_queue_retake(const int *signals, size_t count);

/* In a child, before it unblocks signals: it has nothing to do with these. */
void signal_queue_leave(void);

#endif
