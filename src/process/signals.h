/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SIGNALS_H
#define BACKOFF_PROCESS_SIGNALS_H
/*
 * What arrives. The signals that we deal with are blocked for life and read
 * from a descriptor, so that none can come between a test and a wait. Those
 * ignored when we started are left alone. COMMAND gets back what we found.
 */

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arrival {
	int signal;
	bool from_terminal; /* which has sent it to our group already */
	pid_t sender;
};

/*
 * To be called once, before anything is spawned. WAKE_ON is the signal that
 * cuts a pause short, or 0. False: errno tells why it failed.
 */
bool signals_start(int wake_on);

/* HUP INT QUIT TERM, unless one of them is the wake signal. */
bool signals_ends(int signal);

bool signals_wakes(int signal);

/* The real-time signal of our timers: blocked for life, and nobody else's. */
int signals_timer(void);

enum wake {
	WAKE_TIME,
	WAKE_SIGNAL,
	WAKE_DESCRIPTOR,
};

#define WAIT_DESCRIPTORS 4 /* the most that signals_wait() takes */

/*
 * Waits until a signal is there, or one of the descriptors, or UNTIL_NS
 * (INT64_MAX: for ever), and tells the first of these that is so.
 */
enum wake signals_wait(struct arrival *arrival, int64_t until_ns,
    struct pollfd *descriptors, int count);

/*
 * Waits until FD has room to write, or until a signal that ends us is there,
 * or UNTIL_NS, and tells the first of these that is so. The signal stays
 * pending: a pause finds it, or signals_drain().
 */
enum wake signals_await_room(int fd, int64_t until_ns);

/* As signals_drain() where that met a signal; else 0, without a call. */
int signals_met(void);

/* Takes what has arrived; returns a signal that ends us, or 0. */
int signals_drain(void);

/* Whether one that ends us has arrived and was not taken yet. */
bool signals_end_pending(void);

/* In the child, before exec: everything as it was when we started. */
void signals_restore(void);

/*
 * For the pause: handlers for what ends or wakes it. signals_arm() returns
 * the mask to wait with, signals_open() installs that as well.
 */
const sigset_t *signals_arm(void (*handler)(int));
void signals_open(void (*handler)(int));
void signals_close(void);

/*
 * Around our own writes, which do not block: a reader that has gone away, or
 * a file that may not grow, is an error and not our end. FAILED: a write
 * may have met one.
 */
void signals_before_write(void);
void signals_after_write(bool failed);

/* What PIPE does to who writes where nobody reads, unless it is ignored. */
bool signals_pipe_is_deadly(void);

/* Ends us by SIGNAL, or with status 128 + SIGNAL where that cannot be. */
_Noreturn void signals_die(int signal);

#endif
