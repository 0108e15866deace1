/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "system/system.h"

/* On macOS, CLOCK_MONOTONIC goes on while the machine is suspended. */
#ifdef CLOCK_UPTIME_RAW
#define WAITING_CLOCK CLOCK_UPTIME_RAW
#else
#define WAITING_CLOCK CLOCK_MONOTONIC
#endif

int64_t
clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t
clock_now_ns(void)
{
	return clock_read(WAITING_CLOCK);
}

int64_t
clock_epoch_ns(void)
{
	return clock_read(CLOCK_REALTIME);
}

struct tm
clock_local(int64_t epoch_ns)
{
	time_t moment = (time_t)(epoch_ns / NS_PER_S);
	struct tm local = { 0 };

	tzset();
	localtime_r(&moment, &local);
	return local;
}

struct timespec
clock_timespec(int64_t ns)
{
	int64_t seconds = ns / NS_PER_S;

	/* A 32-bit time_t ends in 2038; a longer wait is just begun again. */
	if (seconds > INT32_MAX && sizeof(time_t) < sizeof seconds)
		seconds = INT32_MAX;
	return (struct timespec) {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)(ns % NS_PER_S),
	};
}
