/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <sys/prctl.h>

#include "system/parent.h"

int
parent_end_signal(int but)
{
	if (!HAVE_DECL_PR_SET_PDEATHSIG)
		return 0;
	return but == SIGRTMAX ? SIGRTMAX - 1 : SIGRTMAX;
}

void
parent_tell_end(int signal)
{
#if HAVE_DECL_PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, signal);
#else
	(void)signal;
#endif
}

void
parent_take_along(int signal)
{
	parent_tell_end(signal);
}
