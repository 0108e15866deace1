/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_LOOP_ENDING_H
#define BACKOFF_CORE_LOOP_ENDING_H
/*
 * How the loop ends: what each end means for the exit status, and for the
 * signal that backoff dies by.
 */

#include "core/loop/loop_state.h"
#include "core/loop/settings.h"

void ending_set(struct ending *ending, enum result result, int status);

/* Ends with the status or signal of the last attempt, but never with 0. */
void ending_give_up(
    struct ending *ending, enum result result, const struct outcome *outcome);

/*
 * What runs share puts us off: CLOSING is the closing line, REASON its REASON
 * or NULL. Without an attempt that is the result; after one, as a deadline.
 */
void ending_put_off(struct ending *ending, const struct loop_state *state,
    const char *closing, const char *reason);

/* Told to end while no attempt was running: backoff dies by that signal. */
void ending_interrupt(struct ending *ending, int told);

/* backoff itself failed: it could not pass on COMMAND's input or output. */
void ending_fail(
    struct ending *ending, const char *broken, int error, int signal);

/*
 * RESULT is what the last attempt of STATE brings, TOLD the signal that
 * told backoff to end, or 0. RESULT_NONE changes nothing.
 */
void ending_after_attempt(struct ending *ending, enum result result,
    const struct loop_state *state, const struct limits *limits, int told);

#endif
