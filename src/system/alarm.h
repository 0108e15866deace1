/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_ALARM_H
#define BACKOFF_SYSTEM_ALARM_H
/*
 * The end, at some time, of a wait that has no time limit itself. One at a
 * time.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A handler calls RING at UNTIL_NS of CLOCK_MONOTONIC, if the signals of *MASK
 * are blocked then; this takes one from there, which the wait is not about.
 * False, with errno: it was not started.
 */
bool alarm_start(int64_t until_ns, sigset_t *mask, void (*ring)(void));

/* Ends it, before any other mask is set. */
void alarm_stop(void);

#endif
