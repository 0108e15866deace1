/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "process/signals.h"
#include "process/told.h"

/* Shared by the handler and the wait. */
static volatile sig_atomic_t arrived;

void
told_reset(void)
{
	arrived = 0;
}

void
told_by(int signal)
{
	if (arrived == 0 || signals_ends(signal))
		arrived = signal;
}

bool
told_anything(void)
{
	return arrived != 0;
}

int
told_what(void)
{
	return arrived;
}
