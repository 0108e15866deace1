/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_RESULT_H
#define BACKOFF_CORE_RESULT_H
/*
 * Whether the end of an attempt is the end of the loop, and which.
 */

#include <stdbool.h>

#include "core/loop_state.h"
#include "core/settings.h"

/* A success or a pass: COMMAND has done what it was to do. */
bool verdict_is_good(enum verdict verdict);

/*
 * The result that the end of an attempt brings; RESULT_NONE: another one is
 * to follow. STATE has the streak and the count with this attempt in them.
 * The order is the contract: the first that holds decides.
 */
enum result result_after_attempt(
    const struct limits *limits, const struct loop_state *state);

#endif
