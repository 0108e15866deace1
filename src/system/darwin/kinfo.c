/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>

#include "core/base/array.h"
#include "system/darwin/kinfo.h"

bool
kinfo_read(struct kinfo_proc *info, pid_t pid)
{
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, pid };
	size_t size = sizeof *info;

	/* Of a process that is gone it returns nothing, which is no error. */
	return sysctl(name, ARRAY_LENGTH(name), info, &size, NULL, 0) == 0
	    && size == sizeof *info;
}
