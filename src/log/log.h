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

/* NULL, or what cannot be had, with errno. */
const char *log_open(const struct log_options *options);

/* The file that holds what is not to be seen yet, or -1. */
int log_held(void);

/* What was held comes out, and what follows at once. */
void log_release(void);

void log_start(void);
void log_attempt(const struct loop_state *state, int64_t pause_ns);
void log_end(const struct loop_state *state, const struct ending *ending);

#endif
