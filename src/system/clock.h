/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_CLOCK_H
#define BACKOFF_SYSTEM_CLOCK_H
/*
 * The clocks. Waits use CLOCK_MONOTONIC: setting the time of day does not
 * affect it, and time while the machine is suspended does not count.
 */

#include <stdint.h>
#include <time.h>

int64_t clock_read(clockid_t clock);
int64_t clock_now_ns(void);
int64_t clock_epoch_ns(void);

/* The local time of a moment since 1970. */
struct tm clock_local(int64_t epoch_ns);

/* NS as a timespec; saturates if time_t is too small for it. */
struct timespec clock_timespec(int64_t ns);

#endif
