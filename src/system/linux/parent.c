/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <sys/prctl.h>

#include "system/parent.h"

void
parent_take_along(int signal)
{
#if HAVE_DECL_PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, signal);
#else
	(void)signal;
#endif
}
