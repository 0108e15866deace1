/* SPDX-License-Identifier: MIT */
/* Since when a server is lost, as the runs of a machine know together. */
#include <config.h>

#include <stdlib.h>

#include "core/base/duration.h"
#include "shared/fleet.h"
#include "system/system.h"
#include "unit/tap.h"

static void
ask_in_vain(void)
{
	struct fleet_view view;

	fleet_begin();
	ok(!fleet_look(FLEET_SLOTS, NULL, 0, &view), "it does not answer");
}

TEST(lost_since)
{
	const struct shared_options options
	    = { .gate.name = "hub", .slots.name = "hub" };
	int64_t start_ns = boot_clock_ns(), before_ns = start_ns - NS_PER_MIN;

	setenv("BACKOFF_FLEET_HELPER", "/nonexistent", 1);
	fleet_start(&options);
	fleet_note_asked(start_ns - FLEET_LEASE_NS, before_ns);
	ask_in_vain();
	ok(fleet_lost_since() >= start_ns,
	    "... since now, as nobody has asked it for a lease");
	fleet_note_asked(start_ns, before_ns);
	ok(fleet_lost_since() >= start_ns, "who asked it before does not know");
	fleet_note_asked(boot_clock_ns(), before_ns);
	is_int(fleet_lost_since(), before_ns, "who asked it later does");
	ask_in_vain();
	is_int(fleet_lost_since(), before_ns, "... since the same moment");
	fleet_note_asked(boot_clock_ns(), 0);
	ask_in_vain();
	ok(fleet_lost_since() >= start_ns,
	    "... since now, as it answered another run meanwhile");
}
