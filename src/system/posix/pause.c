/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <sys/select.h>

#include "core/base/duration.h"
#include "system/clock.h"
#include "system/pause.h"

/* POSIX demands no longer wait of pselect(2) than 31 days. */
#define MOST_NS (31 * 24 * 3600 * NS_PER_S)

/*
 * pselect unblocks the signals and waits in one call, so none is lost. What
 * nanosleep is asked for a libc may have read before the handler changes it:
 * macOS passes it to the kernel by value.
 */
void
pause_until(int64_t until_ns, const sigset_t *mask, bool (*is_over)(void))
{
	struct timespec left;
	int64_t left_ns;

	while (!is_over() && (left_ns = until_ns - clock_now_ns()) > 0) {
		left = clock_timespec(min_ns(left_ns, MOST_NS));
		pselect(0, NULL, NULL, NULL, &left, mask);
	}
}

bool
pause_is_stretched(void)
{
	return true;
}

void
pause_give_up(void)
{
}
