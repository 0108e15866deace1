/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_LOG_H
#define BACKOFF_LOG_LOG_H
/*
 * The log: one write(2) per line, to stderr or a file. A line that cannot be
 * written never changes what the loop does.
 */

#include <stdbool.h>

#include "core/base/duration.h"
#include "core/loop/loop_state.h"
#include "streams/files.h"
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

/* For --quiet-repeats: what is held stays back, and nothing points at it. */
void log_silence(void);

void log_start(void);
void log_attempt(const struct loop_state *state, int64_t pause_ns);

/* The closing line, or when --at-end IS_OVER, too, the event of the end. */
void log_end(
    const struct loop_state *state, const struct ending *ending, bool is_over);

/*
 * Logs news of what runs share: WORDS in a text log, EVENT with those MEMBERS
 * (of json_member_string() and the like) in a JSON log. If the one that is
 * needed is NULL, nothing is logged.
 */
void log_news(enum weight weight, const char *words, const char *event,
    const char *members);

/*
 * Whether people see a wait run down: the log is text on a terminal, and
 * neither -q nor TERM nor CI speaks against it.
 */
bool log_shows_waits(void);

/*
 * Where log_shows_waits(): draws WORDS, printable ASCII, on a row of its own
 * below the last line, in place of what stood there, cut to the terminal's
 * width. If backoff is in the background, or the terminal has no room or no
 * known width, nothing is drawn.
 */
void log_row(const char *words);

/* Erases the row, if there is one; each line of the log does so, too. */
void log_erase_row(void);

/*
 * Logs what is not in effect, or lost: WORDS (NULL: another line says it) in a
 * text log, WHAT and REASON in a JSON log.
 */
void log_degraded(enum weight weight, const char *words, const char *what,
    const char *reason);

/* A signal ends backoff: no line waits long for its reader any more. */
void log_hurry(void);

/* How long lines and released output wait for a slow reader then. */
#define LAST_PATIENCE_NS (100 * NS_PER_MS)

/* Others have written to stderr, and may not have ended the line. */
void log_torn_by_others(void);

/* The file in which --quiet-success holds the log back, or -1. */
int log_held(void);

/*
 * Copies what was held to stderr; what follows goes there directly. Waits for
 * room until UNTIL_NS, as outlet_put() does.
 */
enum written log_release(int64_t until_ns);

#endif
