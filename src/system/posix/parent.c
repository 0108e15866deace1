/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "system/parent.h"

void
parent_take_along(int signal)
{
	(void)signal;
}
