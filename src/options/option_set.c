/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>

#include "core/known/wrapped_command.h"
#include "options/list_known.h"
#include "options/option_set.h"
#include "options/option_values.h"
#include "options/usage.h"
#include "streams/line_scan.h"

/* Where the value of an option goes, and what reads it. */
struct target {
	value_parser *parse; /* NULL: see apply_special() */
	size_t field;
};

#define FIELD(field) offsetof(struct options, field)
#define POLICY(field) FIELD(settings.policy.field)
#define LIMIT(field) FIELD(settings.limits.field)

static const struct target targets[OPTIONS] = {
	[OPT_CLIENTS] = { value_count, FIELD(herd.clients) },
	[OPT_OUTAGE] = { value_finite_duration, FIELD(herd.outage_ns) },
	[OPT_CAPACITY] = { value_rate, FIELD(herd.capacity) },
	[OPT_RUNS] = { value_count, FIELD(herd.runs) },
	[OPT_BASE] = { value_finite_duration, POLICY(base_ns) },
	[OPT_FACTOR] = { value_factor, POLICY(factor) },
	[OPT_CAP] = { value_duration_above_0, POLICY(cap_ns) },
	[OPT_FLOOR] = { value_finite_duration, POLICY(floor_ns) },
	[OPT_GROWTH] = { value_growth, POLICY(growth) },
	[OPT_DELAYS] = { value_delays, FIELD(settings.policy) },
	[OPT_JITTER] = { value_jitter, POLICY(jitter) },
	[OPT_SPLAY] = { value_splay, LIMIT(splay) },
	[OPT_RESET_AFTER] = { value_duration_above_0, LIMIT(reset_after_ns) },
	[OPT_THROTTLE_BASE]
	= { value_finite_duration, POLICY(throttle_base_ns) },
	[OPT_SEED] = { value_seed, FIELD(seed) },
	[OPT_ATTEMPTS] = { value_attempts, LIMIT(attempts) },
	[OPT_TIMEOUT] = { value_timeout, LIMIT(timeout_ns) },
	[OPT_DEADLINE] = { value_timeout, LIMIT(deadline_ns) },
	[OPT_UNTIL] = { value_until, LIMIT(until_ns) },
	[OPT_SIGNAL] = { value_signal, FIELD(job.signal) },
	[OPT_KILL_AFTER] = { value_timeout, LIMIT(kill_after_ns) },
	[OPT_GRACE] = { value_duration, FIELD(job.grace_ns) },
	[OPT_CONSECUTIVE] = { value_count, LIMIT(consecutive) },
	[OPT_WAKE_ON] = { value_wake_signal, FIELD(wake_on) },
	[OPT_HINT_MAX] = { value_duration, LIMIT(hint_max_ns) },
	[OPT_STDIN] = { value_stdin_mode, FIELD(streams.stdin_mode) },
	[OPT_SPOOL_LIMIT] = { value_size, LIMIT(spool_limit) },
	[OPT_HOLD] = { value_hold, FIELD(streams.hold) },
	[OPT_NAME] = { value_text, FIELD(log.name) },
	[OPT_LOG_FORMAT] = { value_log_format, FIELD(log.format) },
	[OPT_LOG_FILE] = { value_text, FIELD(log.file) },
	[OPT_BEFORE_RETRY] = { value_text, FIELD(job.before_retry) },
	[OPT_AT_END] = { value_text, FIELD(job.at_end) },
	[OPT_ID] = { value_text, FIELD(log.id) },
	[OPT_CAP_MODE] = { value_cap_mode, POLICY(cap_mode) },
	[OPT_MAX_EXPONENT] = { value_count, POLICY(max_exponent) },
	[OPT_STEPS] = { value_count, FIELD(steps) },
	[OPT_SLOT] = { value_duration_above_0, POLICY(slot_ns) },
	[OPT_FROM] = { value_from, LIMIT(from_start) },
};

/* The option that a verdict's CODES come from. */
static enum option_id
option_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_SUCCESS:
		return OPT_SUCCESS_ON;
	case VERDICT_PASS:
		return OPT_PASS_ON;
	case VERDICT_THROTTLE:
		return OPT_THROTTLE_ON;
	case VERDICT_STOP:
		return OPT_STOP_ON;
	case VERDICT_RETRY:
	case VERDICT_NONE:
		break;
	}
	return OPT_RETRY_ON;
}

static void
add_codes(struct options *options, enum verdict verdict, const char *list)
{
	const char *item;
	int length;
	enum verdict other = VERDICT_NONE;
	char text[64], why[64];
	struct text shown = text_in(text, sizeof text);
	struct text reason = text_in(why, sizeof why);
	enum codes_error error = codes_add(&options->settings.rules.codes, list,
	    verdict, &item, &length, &other);

	if (error == CODES_OK)
		return;
	for (int i = 0; i < length; i++)
		text_byte(&shown, item[i]);
	if (error == CODES_SYNTAX)
		/* An empty item shows best in its list. */
		arguments_refuse(option_of(verdict), length > 0 ? text : list,
		    "expected codes such as 7, 4-7, nonzero, TERM, timeout "
		    "or EX_TEMPFAIL");
	text_add(&reason, "expected codes that --");
	text_add(&reason, option_names[option_of(other)]);
	text_add(&reason, " does not have too");
	arguments_refuse(option_of(verdict), text, why);
}

/* What the output is watched for; large, so not part of the options. */
static struct scan scan;

static void
add_condition(struct options *options, enum option_id id, enum verdict verdict,
    const char *text)
{
	const char *expected = scan_add(&scan, verdict, text);

	if (expected != NULL)
		arguments_refuse(id, text, expected);
	options->streams.scan = &scan;
}

static void
set_watch(const char *text)
{
	static const char names[][8] = { "both", "stdout", "stderr" };

	for (int i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			scan.watch = (enum watch)i;
			return;
		}
	arguments_refuse(OPT_WATCH, text, "expected stdout, stderr or both");
}

/* The tool of that name; NULL, to be found by COMMAND, where it is NULL. */
static const struct tool *
find_tool(const char *name)
{
	const struct tool *tool = name != NULL ? tool_named(name) : NULL;

	if (name == NULL || tool != NULL)
		return tool;
	if (strcmp(name, "list") == 0)
		list_tools();
	arguments_refuse(OPT_TOOL, name,
	    "expected the name of a tool; --tool=list prints all");
}

/* Options with a meaning of their own; the others have a target. */
static void
apply_special(struct options *options, enum option_id id, const char *text)
{
	switch ((int)id) {
	case OPT_SUCCESS_ON:
		add_codes(options, VERDICT_SUCCESS, text);
		break;
	case OPT_PASS_ON:
		add_codes(options, VERDICT_PASS, text);
		break;
	case OPT_RETRY_ON:
		options->settings.rules.listed_only = true;
		add_codes(options, VERDICT_RETRY, text);
		break;
	case OPT_THROTTLE_ON:
		add_codes(options, VERDICT_THROTTLE, text);
		break;
	case OPT_STOP_ON:
		add_codes(options, VERDICT_STOP, text);
		break;
	case OPT_SUCCESS_IF:
		options->settings.rules.match_needed = true;
		add_condition(options, id, VERDICT_SUCCESS, text);
		break;
	case OPT_RETRY_IF:
		options->settings.rules.listed_only = true;
		add_condition(options, id, VERDICT_RETRY, text);
		break;
	case OPT_THROTTLE_IF:
		add_condition(options, id, VERDICT_THROTTLE, text);
		break;
	case OPT_STOP_IF:
		add_condition(options, id, VERDICT_STOP, text);
		break;
	case OPT_TOOL:
		options->settings.rules.tool_asked = true;
		options->job.tool = find_tool(text);
		break;
	case OPT_RETRY_AFTER:
		scan.retry_after = true;
		options->streams.scan = &scan;
		break;
	case OPT_WATCH:
		set_watch(text);
		break;
	case OPT_PRESET:
		if (strcmp(text, "list") == 0)
			list_presets();
		break;
	case OPT_PLAN:
		options->plan = true;
		break;
	case OPT_QUIET_SUCCESS:
		options->job.quiet_success = true;
		options->log.held = true;
		break;
	case OPT_QUIET:
		options->log.quiet++;
		break;
	case OPT_VERBOSE:
		options->log.verbose = true;
		break;
	case OPT_HELP:
		usage_help();
	case OPT_VERSION:
		usage_version();
	}
}

void
option_set(struct options *options, enum option_id id, const char *text)
{
	const struct target *target = &targets[id];
	const char *expected;

	if (target->parse == NULL) {
		apply_special(options, id, text);
		return;
	}
	expected = target->parse(text, (char *)options + target->field);
	if (expected != NULL)
		arguments_refuse(id, text, expected);
}

void
option_set_tool(struct options *options)
{
	struct job *job = &options->job;
	struct wrapped wrapped = wrapped_command(job->argv);

	job->lock_conflict = wrapped.lock_conflict;
	if (job->tool == NULL && wrapped.name != NULL)
		job->tool = tool_named(wrapped.name);
	if (job->tool == NULL)
		return;
	options->settings.rules.tool = tool_name(job->tool);
	if (scan_add_tool(&scan, job->tool))
		options->streams.scan = &scan;
}
