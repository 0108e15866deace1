/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_SIGNALS_H
#define BACKOFF_PROCESS_SIGNALS_H
/*
 * The signals that backoff gets. Those that it handles are always blocked and
 * read from a descriptor, so that none can arrive between a test and a wait.
 * Those ignored at the start stay ignored. COMMAND gets the original mask and
 * dispositions.
 *
 * An end signal is one that tells backoff to end: HUP, INT, QUIT or TERM, but
 * not the one that --wake-on names.
 */

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arrival {
	int signal;
	bool ends_us; /* it is an end signal */
	bool from_terminal; /* the terminal sent it to the whole group */
	pid_t sender;
};

/*
 * Call this once, before anything is spawned. WAKE_ON is the signal of
 * --wake-on, or 0. False: it failed, see errno.
 */
bool signals_start(int wake_on);

/* Whether SIGNAL is an end signal, or that of --wake-on. */
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
 * Sleeps until UNTIL_NS, or until an end signal or that of --wake-on arrives,
 * or is pending already. Returns that signal, or 0.
 */
int signals_sleep(int64_t until_ns);

/*
 * Waits until FD has room to write, an end signal arrives, or UNTIL_NS has
 * come; returns which. The signal, which comes first, stays pending, for a
 * pause or signals_drain() to find.
 */
enum wake signals_await_room(int fd, int64_t until_ns);

/* signals_drain(), but only if signals_await_room() met a signal; else 0. */
int signals_met(void);

/* Discards all signals that are pending; returns the first end signal, or 0. */
int signals_drain(void);

/* Whether an end signal is pending. */
bool signals_end_pending(void);

/* For the child, before exec: restores everything as it was at the start. */
void signals_restore(void);

/*
 * Bracket backoff's own writes, so that a reader that has gone away, or a file
 * that may not grow, is an error and does not kill backoff (PIPE, XFSZ).
 * FAILED: a write failed and may have raised one of these.
 */
void signals_before_write(void);
void signals_after_write(bool failed);

/*
 * write(2) for what may block although poll(2) says that it has room: EAGAIN if
 * it has written nothing for a moment.
 */
ssize_t signals_write(int fd, const char *bytes, size_t count);

/*
 * Around the start of COMMAND: a key that stops the job waits, as vfork(2)
 * would not return while the child is stopped. EINTR, from there to exec: it
 * came.
 */
void signals_before_spawn(void);
void signals_after_spawn(void);
bool signals_stop_pending(void);

/* Whether PIPE kills a writer without a reader: it was not ignored. */
bool signals_pipe_is_deadly(void);

/* Dies by SIGNAL, or exits with 128 + SIGNAL if that is impossible. */
_Noreturn void signals_die(int signal);

#endif
