/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_WORDS_JSON_H
#define BACKOFF_CORE_WORDS_JSON_H
/*
 * The events as JSON, one object each, keys in a fixed order, without the
 * newline. EPOCH_NS is the time of the event.
 */

#include <stdint.h>

#include "core/base/text.h"
#include "core/loop/loop_state.h"
#include "core/loop/settings.h"

void json_start(struct text *text, int64_t epoch_ns, const char *id,
    const char *name, const char *command, const struct limits *limits);
void json_attempt(struct text *text, int64_t epoch_ns, const char *id,
    const char *name, const struct loop_state *state, int64_t pause_ns);

/* REASON is the one in the closing line, LINE what it would quote, or NULL. */
void json_end(struct text *text, int64_t epoch_ns, const char *id,
    const char *name, const struct loop_state *state,
    const struct ending *ending, const char *reason, const char *line);

/*
 * Another event. MEMBERS are what stands behind its name: what the functions
 * that follow have added, each with its comma. NULL, or what is below 0, is
 * null.
 */
void json_event(struct text *text, int64_t epoch_ns, const char *event,
    const char *id, const char *name, const char *members);
void json_member_string(struct text *text, const char *key, const char *string);
void json_member_number(struct text *text, const char *key, int64_t number);
void json_member_seconds(struct text *text, const char *key, int64_t ns);

/*
 * Adds STRING in quotes; bytes that are not UTF-8 become U+FFFD. What does not
 * fit is cut at a character, and ends with "...".
 */
void json_string(struct text *text, const char *string);

#endif
