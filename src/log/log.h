/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_LOG_H
#define BACKOFF_LOG_LOG_H
/*
 * The log: one write(2) per line, to stderr or a file. A line that cannot be
 * written never changes what the loop does.
 */

#include <stdbool.h>

#include "core/base/duration.h"
#include "core/loop/loop.h"
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

/* --quiet-repeats: no annotation, as the held log is dropped. */
void log_silence(void);

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
 * Where log_shows_waits(): draws WORDS, printable ASCII, on a row of its own
 * below the last line, in place of what stood there, cut to the terminal's
 * width. If backoff is in the background, or the terminal has no room or no
 * known width, nothing is drawn.
 */
void log_draw_wait(const char *words);

/* Erases the row, if there is one; each line of the log does so, too. */
void log_erase_wait(void);

/*
 * Logs that something is not in effect, or lost: WORDS in a text log (NULL if
 * another line says it), WHAT and REASON in a JSON log.
 */
void log_degraded(enum weight weight, const char *words, const char *what,
    const char *reason);

/* A signal ends backoff: from now on no line waits long for its reader. */
void log_hurry(void);

/* How long lines and released output wait for a slow reader then. */
#define LAST_PATIENCE_NS (100 * NS_PER_MS)

/* COMMAND's last output on stderr lacks its newline. */
void log_torn_by_others(void);

/* The file in which --quiet-success holds the log back, or -1. */
int log_held(void);

/*
 * Copies what was held to stderr; what follows goes there directly. Waits for
 * room until UNTIL_NS, as outlet_put() does.
 */
enum written log_release(int64_t until_ns);

#endif
