/* SPDX-License-Identifier: MIT */
/* Since when a server is lost, as the runs of a machine know together. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "shared/shared.h"
#include "system/system.h"
#include "unit/tap.h"

static bool
ask(void)
{
	struct fleet_view view;

	fleet_server.is_lost = false;
	if (!fleet_look(FLEET_SLOTS, NULL, 0, &view))
		return false;
	is_int(view.count, 7, "it answers");
	return true;
}

static void
ask_until_it_answers(void)
{
	/* A slow machine may take longer than an answer may. */
	while (!ask() && strstr(fleet_lost_why(), "timed out") != NULL)
		continue;
	ok(fleet_lost_why() == NULL, "... in the end");
}

static void
ask_in_vain(void)
{
	ok(!ask(), "it does not answer");
}

/*
 * A helper at PATH whose server answers once, and then is lost, and which ends
 * at the third question. When it is told of the end, and can answer, it empties
 * itself.
 */
static void
write_helper(const char *path, int version)
{
	FILE *script = fopen(path, "w");

	fprintf(script,
	    "#!/bin/sh\necho hello %d :server >&3\n"
	    "read -r look <&3 && echo found 1 1 0 - 0 7 >&3\n"
	    "read -r look <&3 && echo lost :away >&3\n"
	    "read -r end <&3 || { echo bye >&3 && : >$0; }\n",
	    version);
	fclose(script);
	chmod(path, 0700);
}

TEST(lost_since)
{
	const struct shared_options options
	    = { .gate.name = "hub", .slots.name = "hub" };
	int64_t start_ns = boot_clock_ns(), before_ns = start_ns - NS_PER_MIN;
	const int64_t *since_ns = &fleet_server.lost_since_ns;
	int64_t later_ns;
	struct stat stat_of;
	char directory[] = "/tmp/backoff-unit-XXXXXX", helper[64];

	ok(mkdtemp(directory) != NULL, "a place for a helper");
	snprintf(helper, sizeof helper, "%s/helper", directory);
	setenv("BACKOFF_FLEET_HELPER", helper, 1);
	write_helper(helper, FLEET_VERSION + 1);
	is_string(fleet_start(&options), "backoff-fleet is of another version",
	    "a helper of another version is refused");
	fleet_note_asked(start_ns - FLEET_LEASE_NS, before_ns);
	ask_in_vain();
	ok(*since_ns >= start_ns,
	    "... since now, as nobody has asked it for a lease");
	fleet_note_asked(start_ns, before_ns);
	ok(*since_ns >= start_ns, "who asked it before does not know");
	later_ns = boot_clock_ns();
	fleet_note_asked(later_ns, before_ns);
	is_int(*since_ns, before_ns, "who asked it later does");
	fleet_note_asked(later_ns - 1, 0);
	is_int(*since_ns, before_ns, "... whatever it said before");
	ask_in_vain();
	is_int(*since_ns, before_ns, "... since the same moment");
	fleet_note_asked(boot_clock_ns(), 0);
	ask_in_vain();
	ok(*since_ns >= start_ns,
	    "... since now, as it answered another run meanwhile");
	fleet_note_asked(boot_clock_ns(), before_ns);
	write_helper(helper, FLEET_VERSION);
	ask_until_it_answers();
	ask_in_vain();
	ok(*since_ns >= start_ns,
	    "... since now, as it answered this run meanwhile");
	/* The helper ends, and another one is asked. */
	ask_until_it_answers();
	fleet_end();
	ok(stat(helper, &stat_of) == 0 && stat_of.st_size == 0,
	    "the helper is told of the end");
	unlink(helper);
	rmdir(directory);
}
