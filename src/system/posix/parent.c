/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "system/parent.h"

int
parent_end_signal(int but)
{
	(void)but;
	return 0;
}

void
parent_tell_end(int signal)
{
	(void)signal;
}

void
parent_take_along(int signal)
{
	(void)signal;
}
