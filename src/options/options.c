/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>

#include "core/duration.h"
#include "core/known/wrapped_command.h"
#include "options/getopt_table.h"
#include "options/option_checks.h"
#include "options/option_set.h"
#include "options/options.h"
#include "options/preset_apply.h"

static void
parse_arguments(
    struct options *options, struct given *given, int argc, char **argv)
{
	enum option_id id;
	const char *text;

	while ((id = arguments_next(argc, argv, &text, &options->job.argv))
	    != OPTIONS) {
		if (id == OPT_PRESET && given->text[id] != NULL)
			arguments_refuse(id, text, "expected one preset");
		given->text[id] = text != NULL ? text : "";
		option_set(options, id, text);
	}
}

static const struct options initial = {
	.settings = {
		.policy = {
			.base_ns = NS_PER_S,
			.factor = 3,
			.jitter = { .kind = JITTER_FULL },
			.max_exponent = INT64_MAX,
		},
		.limits = {
			.timeout_ns = DURATION_INF,
			.kill_after_ns = 10 * NS_PER_S,
			.deadline_ns = DURATION_INF,
			.until_ns = INT64_MAX,
			.reset_after_ns = DURATION_INF,
			.consecutive = 1,
			.hint_max_ns = 60 * NS_PER_MIN,
			.spool_limit = INT64_C(1) << 30,
		},
	},
	.job = {
		.signal = SIGTERM,
		.grace_ns = DURATION_INF,
	},
	.herd = {
		.outage_ns = -1,
		.runs = 1,
	},
};

static void
check_contradictions(const struct options *options, const struct given *given)
{
	struct contradiction found;
	char why[64];
	struct text text = text_in(why, sizeof why);

	if (!option_contradiction(options, given, &found))
		return;
	text_add(&text, found.before);
	text_add(&text, "--");
	text_add(&text, option_names[found.b]);
	text_add(&text, found.after);
	arguments_refuse(found.a, given->text[found.a], why);
}

/* Who is run in the end, as curl behind env or nice. */
static const char *
name_of(char *const argv[])
{
	const char *name = wrapped_command(argv).name;

	return name != NULL ? name : base_name(argv[0]);
}

void
options_parse(struct options *options, int argc, char **argv)
{
	struct given given = { { NULL } };
	struct policy *policy = &options->settings.policy;
	char room[256];
	struct text words = text_in(room, sizeof room);

	*options = initial;
	parse_arguments(options, &given, argc, argv);
	if (given.text[OPT_PRESET] != NULL)
		preset_apply(options, &given, given.text[OPT_PRESET], &words);
	option_defaults(options, &given);
	check_contradictions(options, &given);
	if (given.text[OPT_STEPS] != NULL)
		policy->factor = schedule_factor(
		    policy->base_ns, policy->cap_ns, options->steps);
	if (options->settings.rules.tool_asked)
		option_set_tool(options);
	options->seeded = given.text[OPT_SEED] != NULL;
	options->job.kill_after_ns = options->settings.limits.kill_after_ns;
	options->log.settings = &options->settings;
	options->log.command = options->job.argv[0];
	if (given.text[OPT_NAME] == NULL && options->log.command != NULL)
		options->log.name = name_of(options->job.argv);
}
