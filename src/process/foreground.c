/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "process/foreground.h"

bool
is_in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	/* 0: a group that has its leader in another PID namespace. */
	return group > 0 && group == getpgrp();
}
