/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_PROCESS_CLOCK_H
#define BACKOFF_PROCESS_CLOCK_H
/*
 * The time. Waits go by CLOCK_MONOTONIC: setting the clock
 * does not matter to it, and time in suspension does not count.
 */

#include <stdint.h>
#include <time.h>

int64_t clock_now_ns(void);
int64_t clock_epoch_ns(void);

/* The moment or span as a timespec; what is too long for it saturates. */
struct timespec clock_timespec(int64_t ns);

#endif
