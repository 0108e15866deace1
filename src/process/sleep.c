/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "process/signals.h"
#include "process/sleep.h"
#include "process/told.h"
#include "system/system.h"

static void
handle(int signal)
{
	if (signal == SIGCONT)
		return;
	told_by(signal);
	pause_give_up();
}

int
sleep_until_told(int64_t until_ns)
{
	told_reset();
	pause_until(until_ns, signals_arm(handle), told_anything);
	signals_close();
	return told_what();
}
