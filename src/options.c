/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "arguments.h"
#include "duration.h"
#include "options.h"
#include "usage.h"
#include "values.h"

/* Where the value of an option goes, and what reads it. */
struct target {
	value_parser *parse; /* NULL: see apply() */
	size_t field;
};

#define FIELD(field) offsetof(struct options, field)
#define POLICY(field) FIELD(settings.policy.field)
#define LIMIT(field) FIELD(settings.limits.field)

static const struct target targets[OPTIONS] = {
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
	[OPT_SIGNAL] = { value_signal, FIELD(errand.signal) },
	[OPT_KILL_AFTER] = { value_timeout, LIMIT(kill_after_ns) },
	[OPT_GRACE] = { value_duration, FIELD(errand.grace_ns) },
	[OPT_CONSECUTIVE] = { value_count, LIMIT(consecutive) },
	[OPT_WAKE_ON] = { value_wake_signal, FIELD(wake_on) },
	[OPT_HINT_MAX] = { value_duration, LIMIT(hint_max_ns) },
	[OPT_STDIN] = { value_stdin_mode, FIELD(streams.stdin_mode) },
	[OPT_SPOOL_LIMIT] = { value_size, LIMIT(spool_limit) },
	[OPT_HOLD] = { value_hold, FIELD(streams.hold) },
	[OPT_NAME] = { value_text, FIELD(report.name) },
	[OPT_LOG_FORMAT] = { value_log_format, FIELD(report.format) },
	[OPT_LOG_FILE] = { value_text, FIELD(report.file) },
	[OPT_BEFORE_RETRY] = { value_text, FIELD(errand.before_retry) },
	[OPT_AT_END] = { value_text, FIELD(errand.at_end) },
	[OPT_ID] = { value_text, FIELD(report.id) },
	[OPT_CAP_MODE] = { value_cap_mode, POLICY(cap_mode) },
	[OPT_MAX_EXPONENT] = { value_count, POLICY(max_exponent) },
	[OPT_STEPS] = { value_count, FIELD(steps) },
	[OPT_SLOT] = { value_duration_above_0, POLICY(slot_ns) },
	[OPT_FROM] = { value_from, LIMIT(from_start) },
};

/* The text of each option that was given, the last one, or NULL. */
struct given {
	const char *text[OPTIONS];
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
	case OPT_RETRY_AFTER:
		scan.retry_after = true;
		options->streams.scan = &scan;
		break;
	case OPT_QUIET_SUCCESS:
		options->errand.quiet_success = true;
		options->report.held = true;
		break;
	case OPT_QUIET:
		options->report.quiet++;
		break;
	case OPT_VERBOSE:
		options->report.verbose = true;
		break;
	case OPT_HELP:
		usage_help();
	case OPT_VERSION:
		usage_version();
	}
}

static void
apply(struct options *options, enum option_id id, const char *text)
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

static void
parse_arguments(
    struct options *options, struct given *given, int argc, char **argv)
{
	enum option_id id;
	const char *text;

	while ((id = arguments_next(argc, argv, &text, &options->errand.argv))
	    != OPTIONS) {
		given->text[id] = text != NULL ? text : "";
		apply(options, id, text);
	}
}

/* Refuses option A where B was given as well. */
static void
exclude(const struct given *given, enum option_id a, enum option_id b)
{
	char why[64];
	struct text text = text_in(why, sizeof why);

	if (given->text[a] == NULL || given->text[b] == NULL)
		return;
	text_add(&text, "expected no --");
	text_add(&text, option_names[b]);
	text_add(&text, " beside it");
	arguments_refuse(a, given->text[a], why);
}

/* Refuses option A where its value IS above that of option B. */
static void
limit(const struct given *given, enum option_id a, bool is_above,
    enum option_id b)
{
	char why[64];
	struct text text = text_in(why, sizeof why);

	if (given->text[a] == NULL || !is_above)
		return;
	text_add(&text, "expected no more than --");
	text_add(&text, option_names[b]);
	arguments_refuse(a, given->text[a], why);
}

static void
check_contradictions(const struct given *given, const struct options *options)
{
	const struct policy *policy = &options->settings.policy;
	const struct limits *limits = &options->settings.limits;

	exclude(given, OPT_DELAYS, OPT_BASE);
	exclude(given, OPT_DELAYS, OPT_FACTOR);
	exclude(given, OPT_DELAYS, OPT_GROWTH);
	exclude(given, OPT_DELAYS, OPT_STEPS);
	exclude(given, OPT_STEPS, OPT_FACTOR);
	limit(given, OPT_FLOOR, policy->floor_ns > policy->cap_ns, OPT_CAP);
	limit(given, OPT_SLOT, policy->slot_ns > policy->cap_ns, OPT_CAP);
	limit(given, OPT_CONSECUTIVE, limits->consecutive > limits->attempts,
	    OPT_ATTEMPTS);
	if (given->text[OPT_STEPS] == NULL)
		return;
	if (policy->growth != GROWTH_EXPONENTIAL)
		arguments_refuse(OPT_STEPS, given->text[OPT_STEPS],
		    "expected --growth=exponential with it");
	if (policy->base_ns == 0)
		arguments_refuse(OPT_STEPS, given->text[OPT_STEPS],
		    "expected a --base above 0 with it");
	if (policy->cap_ns == DURATION_INF)
		arguments_refuse(OPT_STEPS, given->text[OPT_STEPS],
		    "expected a --cap that is not inf with it");
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
	.errand = {
		.signal = SIGTERM,
		.grace_ns = DURATION_INF,
	},
};

/* The defaults that depend on what was given. */
static void
derive_defaults(struct options *options, const struct given *given)
{
	struct policy *policy = &options->settings.policy;
	struct limits *limits = &options->settings.limits;
	bool list = policy->delays_ns != NULL;
	int64_t first = list ? policy->delays_ns[0] : policy->base_ns;

	if (given->text[OPT_CAP] == NULL)
		policy->cap_ns = list ? DURATION_INF : NS_PER_MIN;
	if (given->text[OPT_FLOOR] == NULL) {
		policy->floor_ns = list ? 0 : policy->base_ns / 10;
		if (policy->floor_ns > policy->cap_ns)
			policy->floor_ns = policy->cap_ns;
	}
	if (given->text[OPT_JITTER] == NULL && list)
		policy->jitter.kind = JITTER_NONE;
	if (given->text[OPT_THROTTLE_BASE] == NULL)
		policy->throttle_base_ns = saturating_multiply(first, 5);
	if (given->text[OPT_ATTEMPTS] == NULL) {
		limits->attempts = 6;
		if (limits->deadline_ns < DURATION_INF
		    || limits->until_ns < INT64_MAX)
			limits->attempts = INT64_MAX;
		if (list)
			limits->attempts = (int64_t)policy->delays + 1;
	}
}

static void
derive_streams(struct options *options, const struct given *given)
{
	const struct limits *limits = &options->settings.limits;

	if (given->text[OPT_STDIN] == NULL && limits->attempts == 1)
		options->streams.stdin_mode = STDIN_INHERIT;
	options->streams.spool_limit = limits->spool_limit;
	if (options->errand.quiet_success)
		options->streams.hold = HOLD_ALL;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void
options_parse(struct options *options, int argc, char **argv)
{
	struct given given = { { NULL } };
	struct policy *policy = &options->settings.policy;

	*options = initial;
	parse_arguments(options, &given, argc, argv);
	derive_defaults(options, &given);
	derive_streams(options, &given);
	check_contradictions(&given, options);
	if (given.text[OPT_STEPS] != NULL)
		policy->factor = schedule_factor(
		    policy->base_ns, policy->cap_ns, options->steps);
	options->seeded = given.text[OPT_SEED] != NULL;
	options->errand.kill_after_ns = options->settings.limits.kill_after_ns;
	options->report.settings = &options->settings;
	options->report.command = options->errand.argv[0];
	if (options->errand.argv[0] == NULL)
		usage_refuse("COMMAND", "missing",
		    "expected backoff [OPTION]... [--] COMMAND [ARG]...");
	if (given.text[OPT_NAME] == NULL)
		options->report.name = base_name(options->report.command);
}
