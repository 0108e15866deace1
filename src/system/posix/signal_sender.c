/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "system/posix/signal_sender.h"

bool
signal_is_by_process(const siginfo_t *info)
{
	switch (info->si_code) {
	case SI_USER:
	case SI_QUEUE:
	case SI_TIMER:
	case SI_ASYNCIO:
	case SI_MESGQ:
		return true;
	default:
		/* Of a system's own ways to send one, such as SI_TKILL. */
		return info->si_pid != 0;
	}
}
