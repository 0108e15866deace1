/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "system/handles.h"

int
handle_open(pid_t pid)
{
	(void)pid;
	return -1;
}

int
handle_signal(int handle, pid_t pid, int signal)
{
	(void)handle;
	return kill(pid, signal);
}

void
handle_close(int handle)
{
	(void)handle;
}
