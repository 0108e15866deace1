/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "options/options.h"
#include "streams/streams.h"
#include "unit/given.h"
#include "unit/tap.h"

TEST(defaults)
{
	const struct policy *policy = &options.settings.policy;
	const struct limits *limits = &options.settings.limits;

	given("");
	is_int(limits->attempts, 8, "attempts");
	ok(!limits->attempts_given, "that were not given");
	is_int(policy->floor_ns, NS_PER_S / 10, "the floor");
	is_int(policy->cap_ns, 30 * NS_PER_S, "the cap");
	is_int(
	    policy->throttle_base_ns, 5 * NS_PER_S, "the base of a throttle");
	ok(options.streams.stdin_mode == STDIN_REPLAY, "stdin is replayed");
	ok(options.streams.scan == NULL, "no output is looked at");

	given("-c 10ms");
	is_int(policy->floor_ns, NS_PER_MS,
	    "a cap below the base: the floor is a tenth of the cap");
	given("-b 30s -c 2s");
	is_int(policy->floor_ns, 200 * NS_PER_MS,
	    "and leaves jitter, whatever the base");
	given("-c 1m");
	is_int(policy->floor_ns, NS_PER_S / 10,
	    "a cap above the base: a tenth of the base");
	given("-b 5m");
	is_int(policy->cap_ns, 5 * NS_PER_MIN, "the cap is not below the base");
	given("-n 1");
	ok(options.streams.stdin_mode == STDIN_INHERIT, "but for one attempt");
	given("-T 1m");
	is_int(limits->attempts, INT64_MAX, "by the deadline");
	given("--until=@99999999999999");
	is_int(limits->attempts, INT64_MAX, "or --until");
	given("-T 1m -n 3");
	is_int(limits->attempts, 3, "but as many as were asked for");
	given("--quiet-success");
	ok(options.streams.hold == HOLD_ALL && options.log.held
	        && options.streams.scan != NULL,
	    "for cron all is held, and looked at for a quote");
}

TEST(delays)
{
	const struct policy *policy = &options.settings.policy;
	const struct limits *limits = &options.settings.limits;

	given("-d 1s,2s");
	is_int(limits->attempts, 3, "by the list");
	is_int(policy->floor_ns, 0, "no floor");
	ok(policy->jitter.kind == JITTER_NONE, "no jitter");
	given("-d 5s");
	is_int(limits->attempts, 8,
	    "a list of one item repeats as often as without it");
	is_int(policy->cap_ns, DURATION_INF, "no cap");
	is_int(policy->base_ns, 5 * NS_PER_S,
	    "and its first item is the base, of hints too");
	given("-d 5s -T 1m");
	is_int(limits->attempts, INT64_MAX, "  as does a time alone");
	given("-d 1s,2s -T 1m");
	is_int(limits->attempts, INT64_MAX, "by both: no limit");
}

/* Arguments other than the defaults, for options that do not take "7". */
static const char *const samples[OPTIONS] = {
	[OPT_GATE] = "hub",
	[OPT_GATE_WAIT] = "7 --gate=hub",
	[OPT_SLOTS] = "hub:7",
	[OPT_SLOTS_WAIT] = "7 --slots=hub:7",
	[OPT_DEFER] = "hub:7s..8s",
	[OPT_UNTIL] = "@7",
	[OPT_SIGNAL] = "USR1",
	[OPT_WAKE_ON] = "USR1",
	[OPT_GROWTH] = "linear",
	[OPT_JITTER] = "equal",
	[OPT_PRESET] = "tcp",
	[OPT_STDIN] = "null",
	[OPT_HOLD] = "all",
	[OPT_LOG_FORMAT] = "json",
	[OPT_FROM] = "start",
	[OPT_TOOL] = "curl",
};

/* Each option changes something. */
TEST(targets)
{
	static struct options before;

	for (int i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];
		const char *sample = samples[i] != NULL ? samples[i] : "7";
		const char *also; /* what it needs */

		if (!option_is_ours((enum option_id)i) || i == OPT_HELP
		    || i == OPT_VERSION)
			continue;
		/* As many words; the first is the default. */
		also = strchr(sample, ' ');
		if (i == OPT_QUIET_REPEATS)
			also = " --defer=hub";
		given(JOINED(160, "--consecutive=1", also != NULL ? also : ""));
		before = options;
		given(row->argument[0] != '\0'
		        ? JOINED(160, "--", row->name, "=", sample)
		        : JOINED(
		            160, "--", row->name, also != NULL ? also : ""));
		ok(memcmp(&options, &before, sizeof options) != 0, row->name);
	}
}

/* And nothing that belongs to another one. */
TEST(many)
{
	const struct limits *limits = &options.settings.limits;

	given("-b 7 -n 7 --until=@7 -k 7 --spool-limit=7 --stop-on=11"
	      " --before-retry=7 --stop-if=a --stop-if=b -qvv --plan");
	is_int(options.settings.policy.base_ns, 7 * NS_PER_S, "the base");
	is_int(limits->attempts, 7, "attempts");
	is_int(limits->until_ns, 7 * NS_PER_S, "until");
	is_int(limits->kill_after_ns, 7 * NS_PER_S, "kill-after");
	is_int(limits->spool_limit, 7, "the limit of the spool");
	ok(options.settings.rules.codes.exact[11] == VERDICT_STOP, "stop-on");
	is_string(options.job.before_retry, "7", "a script");
	ok(options.streams.scan != NULL && options.streams.scan->count == 2,
	    "two conditions");
	ok(options.plan && options.log.verbose, "flags");
	is_int(options.log.quiet, 1, "quiet once");
}

/* What -v prints. */
TEST(notes)
{
	given("-v -p wechat-pay -b 1ms -g linear -n 1 --name=it's");
	is_string(options.log.in_force,
	    "options: --verbose --preset=wechat-pay --base=1ms --growth=linear "
	    "--attempts=1 --name='it'\\''s'; preset wechat-pay; default: "
	    "--cap=30s --floor=100us --jitter=full",
	    "the options as a shell has them, and no factor");
}

TEST(table)
{
	ok(option_is_ours(OPT_BASE) && option_is_ours(OPT_TIMEOUT), "ours");
	ok(!option_is_ours(OPT_CLIENTS), "of the other program");
	ok(!option_is_ours(OPT_CAP_MODE), "of presets alone");
}
