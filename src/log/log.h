/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_LOG_H
#define BACKOFF_LOG_LOG_H
/*
 * The log: one write(2) per line, to stderr or a file. A line that cannot be
 * written never changes what the loop does.
 */

#include <stdbool.h>

#include "core/base/base.h"
#include "core/loop/loop.h"
#include "streams/streams.h"
#include "types/option_types.h"

/* How important a line is: -q, -qq and -v choose by it. */
enum weight {
	WEIGHT_DETAIL, /* only with -v */
	WEIGHT_NORMAL,
	WEIGHT_LAST, /* why backoff gives up: printed with -q too */
	WEIGHT_RECOVERY, /* the same; printed with --quiet-success too */
	WEIGHT_ALARM, /* a limit does not hold: printed in any case */
};

/*
 * Opens the log. Returns NULL, or, with errno set, what failed: "memory" or
 * the name of an option.
 */
const char *log_open(const struct log_options *options);

void log_start(void);
void log_attempt(const struct loop_state *state, int64_t pause_ns);

/*
 * Call it twice: before --at-end has run, for the closing line, and when it
 * IS_OVER, for the event "end".
 */
void log_end(
    const struct loop_state *state, const struct ending *ending, bool is_over);

/*
 * Logs a line about what runs share: WORDS in a text log, or EVENT with MEMBERS
 * (made by json_member_string() and the like) in a JSON log. If the one that is
 * needed is NULL, nothing is logged.
 */
void log_shared(enum weight weight, const char *words, const char *event,
    const char *members);

/*
 * Whether a countdown makes sense: the log is text on a terminal, without -q,
 * and TERM and CI allow it.
 */
bool log_shows_waits(void);

/*
 * Waits until UNTIL_NS, or until a signal that tells backoff to end or the
 * --wake-on signal arrives. Returns that signal, or 0.
 *
 * If WORDS is not NULL, a row of its own below the last line of the log shows
 * it, printable ASCII, and a time in whole seconds: until UNTIL_NS if SINCE_NS
 * is below 0, else since SINCE_NS of CLOCK_MONOTONIC. It first appears when the
 * time has changed, because the line above already says it, and stays until
 * log_erase_wait() or the next line of the log, so a wait can be continued.
 */
int log_count_down(int64_t until_ns, const char *words, int64_t since_ns);

/* Erases the row, if there is one. */
void log_erase_wait(void);

/*
 * Logs that something is not in effect, or lost: WORDS in a text log (NULL if
 * another line says it), WHAT and REASON in a JSON log.
 */
void log_degraded(enum weight weight, const char *words, const char *what,
    const char *reason);

/*
 * How long lines and released output wait for a slow reader after a signal
 * that ends backoff.
 */
#define LAST_PATIENCE_NS (100 * NS_PER_MS)

/* The file in which --quiet-success holds the log back, or -1. */
int log_held(void);

/*
 * Copies what was held to stderr; what follows goes there directly. Waits for
 * room until UNTIL_NS, as outlet_put() does.
 */
enum written log_release(int64_t until_ns);

#endif
