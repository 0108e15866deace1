/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <sys/sysctl.h>
#include <time.h>

#include "system/boot.h"
#include "system/clock.h"

/* libc makes nanoseconds of what mach_continuous_time() counts. */
int64_t
boot_clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC_RAW);
}

ssize_t
boot_id(char *bytes, size_t size)
{
	return sysctlbyname("kern.bootsessionuuid", bytes, &size, NULL, 0) == 0
	    ? (ssize_t)size
	    : -1;
}
