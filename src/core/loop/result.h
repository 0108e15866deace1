/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_RESULT_H
#define BACKOFF_CORE_LOOP_RESULT_H
/*
 * Whether the loop ends after an attempt, and with which result.
 */

#include <stdbool.h>

#include "core/loop/loop_state.h"
#include "core/loop/settings.h"

/* A success or a pass: COMMAND has done its work. */
bool verdict_is_good(enum verdict verdict);

/* It is tried again, unless something else ends the loop. */
bool verdict_is_failure(enum verdict verdict);

/* Of a success: whether an attempt failed before it. */
bool result_is_flaky(const struct loop_state *state);

/*
 * The result after an attempt; RESULT_NONE: another attempt follows. STATE
 * already includes this attempt in its streak and count. The order of the
 * rules is part of the contract: the first that applies decides.
 */
enum result result_after_attempt(
    const struct limits *limits, const struct loop_state *state);

#endif
