/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_PAUSE_H
#define BACKOFF_SYSTEM_PAUSE_H
/*
 * A pause that a signal can end without being lost.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Pauses until UNTIL_NS of CLOCK_MONOTONIC, with MASK for the signals, or until
 * IS_OVER, which is asked after each signal. A handler that makes it so has to
 * call pause_give_up(), or a signal between the two would be lost. The mask
 * that is left behind may be either.
 */
void pause_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void));

/*
 * Whether a stop makes the pause longer, unless a handler of CONT interrupts
 * it.
 */
bool pause_is_stretched(void);

/* For a handler: the pause that is about to begin, or has, ends at once. */
void pause_give_up(void);

#endif
