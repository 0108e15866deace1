/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/known/headers.h"
#include "core/known/wrapped_command.h"
#include "options/checks.h"
#include "options/getopt_table.h"
#include "options/options.h"
#include "options/preset_apply.h"
#include "options/rules.h"
#include "options/set.h"

/*
 * Refuses "--tool curl -- curl ...", which would run "curl --": an optional
 * argument must be joined to its option. OPERANDS follow option ALONE.
 */
static void
check_operand(enum option_id alone, char *const *operands)
{
	const char *value = operands[0], *next;

	if (value == NULL || strcmp(operands[-1], "--") == 0)
		return;
	next = operands[1];
	if (next == NULL
	    || (strcmp(next, "--") != 0 && strcmp(next, value) != 0)
	    || !option_takes(alone, value))
		return;
	option_refuse(alone, value,
	    JOINED(64, "expected --", option_table[alone].name, "=", value));
}

static void
parse_arguments(
    struct options *options, struct given *given, int argc, char **argv)
{
	enum option_id id, alone = OPTIONS;
	const char *text;

	while ((id = arguments_next(argc, argv, &text, &options->job.argv))
	    != OPTIONS) {
		given->text[id] = text != NULL ? text : "";
		option_set(options, id, text);
		option_note(&given->notes, id, text);
		alone = text == NULL ? id : OPTIONS;
	}
	if (alone < OPTIONS)
		check_operand(alone, options->job.argv);
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
			.idle_timeout_ns = DURATION_INF,
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
	.shared.gate.wait_ns = 60 * NS_PER_MIN,
	.shared.slots.wait_ns = DURATION_INF,
	.herd = {
		.service.down_ns = -1,
		.runs = 1,
		.machines = 1,
	},
};

static void
check_contradictions(const struct options *options, const struct given *given)
{
	struct contradiction found;
	const char *value;

	if (!option_contradiction(options, given, &found))
		return;
	value = given->text[found.a];
	option_refuse(found.a, *value != '\0' ? value : NULL,
	    JOINED(64, found.before, "--", option_table[found.b].name,
	        found.after));
}

/* Notes what pauses and attempts are by default. */
static void
note_defaults(struct given *given, const struct settings *settings)
{
	const struct policy *policy = &settings->policy;
	int64_t attempts = settings->limits.attempts;
	bool list = policy->delays_ns != NULL;
	int told = 0;
	const struct {
		enum option_id id;
		const char *text; /* NULL: it is of no use */
	} all[] = {
		{ OPT_BASE, list ? NULL : DURATION(policy->base_ns) },
		{ OPT_FACTOR, list ? NULL : "3" },
		{ OPT_CAP, DURATION(policy->cap_ns) },
		{ OPT_FLOOR, DURATION(policy->floor_ns) },
		{ OPT_JITTER, list ? "none" : "full" },
		{ OPT_ATTEMPTS,
		    attempts == INT64_MAX ? "inf" : NUMBER(attempts) },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (given->text[all[i].id] == NULL && all[i].text != NULL) {
			text_add(&given->notes, told++ ? "" : "; default:");
			option_note(&given->notes, all[i].id, all[i].text);
		}
}

/*
 * What to call COMMAND: the program that runs in the end, such as curl behind
 * env. A word with blanks is a mistake, of which only a part may be shown.
 */
static void
name_command(struct log_options *log, const struct job *job, bool is_named)
{
	static char part[72];
	struct text text = text_in(part, sizeof part);
	const char *name = job->wrapped.name;

	log->word = log->command = job->argv[0];
	if (command_line_name(&text, log->word))
		log->command = name = part;
	else if (name == NULL)
		name = base_name(log->word);
	if (!is_named)
		log->name = name;
}

void
options_parse(struct options *options, int argc, char **argv)
{
	static char notes[2048];
	struct given given = { .notes = text_in(notes, sizeof notes) };
	char room[320];
	struct text words = text_in(room, sizeof room);

	*options = initial;
	options->log.in_force = notes;
	text_add(&given.notes, "options:");
	parse_arguments(options, &given, argc, argv);
	if (options->preset != NULL)
		preset_apply(options, &given, &words);
	option_defaults(options, &given);
	check_contradictions(options, &given);
	rules_use_streams(options);
	options->job.number = strpbrk(options->job.argv[-1], "0123456789");
	options->job.wrapped = wrapped_command(options->job.argv);
	rules_use_tool(options);
	options->seeded = given.text[OPT_SEED] != NULL;
	options->job.idle_timeout_ns = options->settings.limits.idle_timeout_ns;
	options->job.kill_after_ns = options->settings.limits.kill_after_ns;
	options->log.settings = &options->settings;
	if (options->log.verbose)
		note_defaults(&given, &options->settings);
	/* With a REGEX it is the user who knows what is printed. */
	if (given.text[OPT_RETRY_AFTER] != NULL
	    && given.text[OPT_RETRY_AFTER][0] == '\0')
		options->log.headers = headers_missing(
		    options->job.wrapped.name, options->job.argv);
	if (options->job.argv[0] != NULL)
		name_command(
		    &options->log, &options->job, given.text[OPT_NAME] != NULL);
}
