/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_WRITER_H
#define BACKOFF_LOG_WRITER_H
/*
 * Where the lines of the log go: stderr, a file, or what --quiet-success
 * keeps back. A line that finds no room or no reader is dropped.
 */

#include <stdbool.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "streams/files.h"
#include "types/option_types.h"

/* For a slow reader, once backoff is told to end. */
#define LAST_PATIENCE_NS (100 * NS_PER_MS)

/* NULL, or what cannot be had, with errno. */
const char *writer_open(const struct log_options *options);

/* Why a line could not be written (errno), or 0; tells it only once. */
int writer_take_error(void);

/* A new line, in a buffer that all share. */
struct text writer_begin(void);

/* Writes the line, and its newline. */
void writer_finish(struct text *text);

/* The same to stderr, wherever the log goes. */
void writer_finish_on_stderr(struct text *text);

/* What is logged stands among what COMMAND says. */
bool writer_is_stderr(void);

/* It is stderr itself, and that a terminal, and nothing is held back. */
bool writer_is_terminal(void);

enum writer_line {
	WRITER_LEAVES_OPEN, /* the next line must begin with a newline */
	WRITER_ENDS_LINE,
};

/* Writes as it is what controls a terminal. False: not all of it. */
bool writer_put(const struct text *text, enum writer_line line);

/*
 * The same to an open line, as far as there is room now. What is left of it
 * then is written before anything else.
 */
void writer_try(const struct text *text);

/* The line that was left open is no more where it was. */
void writer_forget_open_line(void);

/* backoff is told to end: no line waits long for its reader any more. */
void writer_hurry(void);

/* Others have written to stderr, and may not have ended the line. */
void writer_torn_by_others(void);

/* The file in which --quiet-success holds the log back, or -1. */
int writer_held(void);

/*
 * Copies what was held to stderr; what follows goes there directly. Waits for
 * room until UNTIL_NS, as outlet_put() does.
 */
enum written writer_release(int64_t until_ns);

#endif
