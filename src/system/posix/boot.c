/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "system/boot.h"
#include "system/clock.h"

int64_t
boot_clock_ns(void)
{
	return clock_now_ns();
}

ssize_t
boot_id(char *bytes, size_t size)
{
	if (size > 0)
		bytes[0] = '\0';
	return 0;
}
