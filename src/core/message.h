/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_MESSAGE_H
#define BACKOFF_CORE_MESSAGE_H
/*
 * The words of the log: what one event is in text. Each function adds its
 * line without prefix and newline, or nothing where there is none to say.
 */

#include <stdint.h>

#include "core/loop_state.h"
#include "core/settings.h"
#include "core/text.h"

/* "attempt 2/6 failed after 4.1s: exit 7; next in 2.1s" */
void message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t pause_ns);

/*
 * "giving up after 6 attempts in 21.4s: exit 7". NAME is the command's
 * first word, for the hint on what a shell would have found.
 */
void message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name);

/* "exit 7", "killed by SEGV", "timed out after 10s", "not found" ... */
void message_reason(struct text *text, const struct outcome *outcome);

/* The settings in force, for --verbose. */
void message_settings(struct text *text, const struct settings *settings);

#endif
