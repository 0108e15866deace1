/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SIGNALS_H
#define BACKOFF_PROCESS_SIGNALS_H
/*
 * Receives signals. Those that backoff handles are always blocked and read
 * from a descriptor, so that none can arrive between a test and a wait. Those
 * ignored at the start stay ignored. COMMAND gets the original mask and
 * dispositions.
 */

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arrival {
	int signal;
	bool ends_us; /* it tells backoff to end */
	bool from_terminal; /* the terminal sent it to our whole group */
	pid_t sender;
};

/*
 * Call this once, before anything is spawned. WAKE_ON is the signal that ends
 * a pause, or 0. False: it failed, see errno.
 */
bool signals_start(int wake_on);

/* Whether SIGNAL tells backoff to end: HUP INT QUIT TERM, unless it wakes. */
bool signals_ends(int signal);

bool signals_wakes(int signal);

enum wake {
	WAKE_TIME,
	WAKE_SIGNAL,
	WAKE_DESCRIPTOR,
};

#define WAIT_DESCRIPTORS 4 /* the most that signals_wait() takes */

/*
 * Waits until a signal arrives, a descriptor is ready, or UNTIL_NS (INT64_MAX:
 * for ever) has come; returns which. A signal comes first.
 */
enum wake signals_wait(struct arrival *arrival, int64_t until_ns,
    struct pollfd *descriptors, int count);

/*
 * Waits until FD has room to write, a signal tells backoff to end, or UNTIL_NS
 * has come; returns which. The signal stays pending, for a pause or
 * signals_drain() to find.
 */
enum wake signals_await_room(int fd, int64_t until_ns);

/* signals_drain(), but only if signals_await_room() met a signal; else 0. */
int signals_met(void);

/* Takes all that has arrived; returns the first that ends backoff, or 0. */
int signals_drain(void);

/* Whether a signal that tells backoff to end is pending. */
bool signals_end_pending(void);

/* For the child, before exec: restores everything as it was at the start. */
void signals_restore(void);

/*
 * For the pause: installs a handler for the signals that end it. Returns the
 * mask to wait with.
 */
const sigset_t *signals_arm(void (*handler)(int));
void signals_close(void);

/*
 * Bracket backoff's own writes, so that a reader that has gone away, or a file
 * that may not grow, is an error and does not kill backoff (PIPE, XFSZ).
 * FAILED: a write failed and may have raised one of these.
 */
void signals_before_write(void);
void signals_after_write(bool failed);

/* Whether PIPE kills a writer without a reader: it was not ignored. */
bool signals_pipe_is_deadly(void);

/* Dies by SIGNAL, or exits with 128 + SIGNAL if that is impossible. */
_Noreturn void signals_die(int signal);

#endif
