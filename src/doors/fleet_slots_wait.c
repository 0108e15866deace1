/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "doors/fleet_slots_news.h"
#include "doors/fleet_slots_wait.h"
#include "process/signals.h"
#include "system/clock.h"

#define TELL_AFTER_NS NS_PER_S
#define TOUCH_NS (3 * NS_PER_S)

void
fleet_slots_wait_tell(struct slots_wait *wait)
{
	if (wait->is_told || clock_now_ns() - wait->since_ns < TELL_AFTER_NS)
		return;
	wait->is_told = true;
	fleet_slots_news_wait(wait->options);
}

int64_t
fleet_slots_wait_moment(const struct slots_wait *wait, int64_t at_ns)
{
	if (!wait->is_told)
		at_ns = min_ns(at_ns, wait->since_ns + TELL_AFTER_NS);
	return min_ns(at_ns, wait->until_ns);
}

bool
fleet_slots_wait_is_over(struct slots_wait *wait, int signal)
{
	if (signals_ends(signal))
		wait->signal = signal;
	return wait->signal != 0 || clock_now_ns() >= wait->until_ns;
}

void
fleet_slots_wait_touch(struct slots_wait *wait)
{
	if (clock_now_ns() < wait->touch_ns)
		return;
	wait->touch();
	wait->touch_ns = clock_now_ns() + TOUCH_NS;
}

bool
fleet_slots_wait_goes_on(struct slots_wait *wait, int signal)
{
	if (fleet_slots_wait_is_over(wait, signal))
		return false;
	fleet_slots_wait_tell(wait);
	fleet_slots_wait_touch(wait);
	return true;
}

int64_t
fleet_slots_wait_look(const struct slots_wait *wait)
{
	return fleet_slots_wait_moment(wait, wait->touch_ns);
}
