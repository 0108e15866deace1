/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "options/set.h"
#include "options/values.h"
#include "streams/scan.h"
#include "unit/tap.h"

/* Valid arguments other than the defaults; for the others, 7 is one. */
static const char *const samples[OPTIONS] = {
	[OPT_FAILURES] = "5%",
	[OPT_REFUSALS] = "0.6",
	[OPT_GATE] = "hub",
	[OPT_SLOTS] = "hub:7",
	[OPT_DEFER] = "hub:7s..8s",
	[OPT_PASS_ON] = "8",
	[OPT_RETRY_ON] = "9",
	[OPT_THROTTLE_ON] = "10",
	[OPT_STOP_ON] = "11",
	[OPT_UNTIL] = "@7",
	[OPT_SIGNAL] = "USR1",
	[OPT_WAKE_ON] = "USR1",
	[OPT_GROWTH] = "linear",
	[OPT_JITTER] = "equal",
	[OPT_PRESET] = "tcp",
	[OPT_STDIN] = "null",
	[OPT_HOLD] = "all",
	[OPT_LOG_FORMAT] = "json",
	[OPT_HERD_LOG_FORMAT] = "json",
	[OPT_CAP_MODE] = "before",
	[OPT_FROM] = "start",
	[OPT_HERD_GATE] = "fleet",
	[OPT_TOOL] = "curl",
};

static const char *
sample(enum option_id id)
{
	char first = option_table[id].argument[0];

	if (samples[id] != NULL)
		return samples[id];
	return first == '\0' || first == '[' ? NULL : "7";
}

/* Each option changes something, and nothing that belongs to another one. */
static void
test_targets(void)
{
	static struct options one, all, before;

	for (int i = 0; i < OPTIONS; i++) {
		enum option_id id = (enum option_id)i;

		if (id == OPT_HELP || id == OPT_HERD_HELP || id == OPT_VERSION)
			continue;
		memset(&one, 0, sizeof one);
		before = one;
		option_set(&one, id, sample(id));
		ok(memcmp(&one, &before, sizeof one) != 0,
		    option_table[i].name);
		value_free_delays(&one.settings.policy);
		option_set(&all, id, sample(id));
	}
	is_int(all.settings.policy.base_ns, 7 * NS_PER_S, "the base");
	is_int(all.settings.limits.attempts, 7, "attempts");
	is_int(all.settings.limits.until_ns, 7 * NS_PER_S, "until");
	is_int(all.settings.limits.kill_after_ns, 7 * NS_PER_S, "kill-after");
	is_int(all.settings.limits.spool_limit, 7, "the limit of the spool");
	is_int(all.herd.clients, 7, "clients");
	ok(all.settings.rules.codes.exact[11] == VERDICT_STOP, "stop-on");
	is_string(all.job.before_retry, "7", "a script");
	is_string(all.preset, "tcp", "the preset");
	ok(all.streams.scan != NULL && all.streams.scan->count == 8,
	    "four conditions, given twice");
	ok(all.plan && all.log.verbose && all.job.quiet_success, "flags");
	is_int(all.log.format, LOG_JSON, "a format");
	is_int(all.log.quiet, 1, "quiet once");
	value_free_delays(&all.settings.policy);
}

static void
test_table(void)
{
	ok(option_named("base", 4) == OPT_BASE, "by name");
	ok(option_named("base=3", 4) == OPT_BASE, "the beginning of a word");
	ok(option_named("bas", 3) == OPTIONS, "no abbreviation");
	ok(option_named("bases", 5) == OPTIONS, "nothing longer");
	ok(option_named("", 0) == OPTIONS, "nothing");
	ok(option_is_ours(OPT_BASE) && option_is_ours(OPT_TIMEOUT), "ours");
	ok(!option_is_ours(OPT_CLIENTS), "of the other program");
	ok(option_takes(OPT_HOLD, "all"), "--hold=all");
	ok(!option_takes(OPT_HOLD, "ls"), "--hold ls");
	ok(option_takes(OPT_TOOL, "curl"), "--tool=curl");
	ok(!option_takes(OPT_TOOL, "touch"), "--tool touch");
	ok(!option_takes(OPT_STDIN, "null"), "what never stands alone");
}

TESTS
{
	test_targets();
	test_table();
}
