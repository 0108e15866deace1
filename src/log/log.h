/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_LOG_H
#define BACKOFF_LOG_LOG_H
/*
 * The log: one write a line, to stderr or a file. Nothing that goes wrong
 * with it changes what the loop does.
 */

#include <stdbool.h>

#include "core/loop_state.h"
#include "options/option_types.h"
#include "streams/outlet.h"

/* How much a line has to say: what -q, -qq and -v go by. */
enum weight {
	WEIGHT_DETAIL, /* for -v */
	WEIGHT_NORMAL,
	WEIGHT_LAST, /* how we gave up */
};

/* NULL, or what cannot be had, with errno. */
const char *log_open(const struct log_options *options);

/* The file that holds what is not to be seen yet, or -1. */
int log_held(void);

/*
 * What was held comes out, and what follows at once. Room is waited for as
 * by outlet_put().
 */
enum written log_release(int64_t until_ns);

void log_start(void);
void log_attempt(const struct loop_state *state, int64_t pause_ns);
void log_end(const struct loop_state *state, const struct ending *ending);

/*
 * News of what runs share: WORDS where the log is text, else EVENT with those
 * members of json_member() and its like. Either may be NULL: nothing is said
 * there.
 */
void log_news(enum weight weight, const char *words, const char *event,
    const char *members);

/* --at-end could not be run: errno ERROR. */
void log_at_end_failed(int error);

/* Others have written to stderr, and may not have ended the line. */
void log_stderr_torn(void);

/* What was held of the last attempt could not be written. */
void log_release_failed(int error);

#endif
