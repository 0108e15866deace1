/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_JSON_H
#define BACKOFF_CORE_WORDS_JSON_H
/*
 * The events as JSON, one object each, keys in a fixed order, without the
 * newline. An event is json_begin(), its members, and "}".
 */

#include <stdint.h>

#include "core/base/text.h"
#include "core/loop/loop.h"

/*
 * {"time":"2026-11-21T11:40:00.123Z","event":"EVENT","id":"...","name":"..."
 * EPOCH_NS is the time of the event.
 */
void json_begin(struct text *text, int64_t epoch_ns, const char *event,
    const char *id, const char *name);

/* Adds a comma and a member. NULL and numbers below 0 become null. */
void json_member_string(struct text *text, const char *key, const char *string);
void json_member_number(struct text *text, const char *key, int64_t number);
void json_member_seconds(struct text *text, const char *key, int64_t ns);

/* The members of the events "start" and "attempt". */
void json_start(
    struct text *text, const char *command, const struct limits *limits);
void json_attempt(
    struct text *text, const struct loop_state *state, int64_t pause_ns);

/*
 * Those of "end". REASON is the one in the closing line, LINE what it would
 * quote, or NULL.
 */
void json_end(struct text *text, const struct loop_state *state,
    const struct ending *ending, const char *reason, const char *line);

/*
 * Adds STRING in quotes; bytes that are not UTF-8 become U+FFFD. What does not
 * fit is cut at a character, and ends with "...".
 */
void json_string(struct text *text, const char *string);

#endif
