/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "options/set.h"
#include "options/values.h"
#include "streams/line_scan.h"
#include "unit/tap.h"

/* For each option, a valid argument other than its default. */
static const char *
sample(enum option_id id)
{
	switch (id) {
	case OPT_FAILURES:
		return "5%";
	case OPT_GATE:
		return "hub";
	case OPT_SLOTS:
		return "hub:7";
	case OPT_DEFER:
		return "hub:7s..8s";
	case OPT_PASS_ON:
		return "8";
	case OPT_RETRY_ON:
		return "9";
	case OPT_THROTTLE_ON:
		return "10";
	case OPT_STOP_ON:
		return "11";
	case OPT_UNTIL:
		return "@7";
	case OPT_SIGNAL:
	case OPT_WAKE_ON:
		return "USR1";
	case OPT_GROWTH:
		return "linear";
	case OPT_JITTER:
		return "equal";
	case OPT_PRESET:
		return "tcp";
	case OPT_STDIN:
		return "null";
	case OPT_HOLD:
		return "all";
	case OPT_WATCH:
		return "stderr";
	case OPT_LOG_FORMAT:
	case OPT_HERD_LOG_FORMAT:
		return "json";
	case OPT_FORMAT:
		return "svg";
	case OPT_CAP_MODE:
		return "before";
	case OPT_FROM:
		return "start";
	case OPT_HERD_GATE:
		return "fleet";
	case OPT_TOOL:
		return "curl";
	case OPT_RETRY_AFTER:
	case OPT_DIE_WITH_PARENT:
	case OPT_QUIET_SUCCESS:
	case OPT_QUIET_REPEATS:
	case OPT_QUIET:
	case OPT_VERBOSE:
	case OPT_PLAN:
	case OPT_HELP:
	case OPT_HERD_HELP:
	case OPT_VERSION:
	case OPTIONS:
		return NULL;
	default:
		return "7";
	}
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
	is_int(all.format, FORMAT_SVG, "a format");
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
