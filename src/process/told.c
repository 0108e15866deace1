/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "core/judge/outcome.h"
#include "process/parent.h"
#include "process/signals.h"
#include "process/told.h"

/* Shared by the handler and the wait. */
static volatile sig_atomic_t arrived;
static volatile sig_atomic_t alarmed; /* about the parent */

void
told_reset(void)
{
	arrived = alarmed = 0;
}

void
told_by(int signal)
{
	if (signal == parent_signal())
		alarmed = 1;
	else if (arrived == 0 || signals_ends(signal))
		arrived = signal;
}

bool
told_anything(void)
{
	return arrived != 0 || alarmed != 0;
}

bool
told_false_alarm(void)
{
	if (alarmed == 0)
		return false;
	alarmed = 0;
	if (!signals_ends(arrived) && parent_has_ended())
		arrived = TOLD_PARENT_ENDED;
	return arrived == 0;
}

int
told_what(void)
{
	return arrived;
}
