/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <time.h>

#include "system/boot.h"
#include "system/clock.h"
#include "system/fd.h"

int64_t
boot_clock_ns(void)
{
	return clock_read(CLOCK_BOOTTIME);
}

ssize_t
boot_id(char *bytes, size_t size)
{
	return fd_read_file("/proc/sys/kernel/random/boot_id", bytes, size);
}
