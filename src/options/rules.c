/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/judge/exit_codes.h"
#include "core/known/headers.h"
#include "core/known/presets.h"
#include "core/known/tools.h"
#include "core/known/wrapped_command.h"
#include "options/list_known.h"
#include "options/rules.h"
#include "options/table.h"
#include "streams/scan.h"

bool
value_signal(const char *text, void *field, struct refusal *refusal)
{
	int *signal = field;

	*signal = signal_parse(text);
	return *signal > 0
	    || refuse(refusal, "expected a signal such as TERM or 15");
}

bool
value_wake_signal(const char *text, void *field, struct refusal *refusal)
{
	static const int possible[]
	    = { SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGIO };
	int *signal = field;

	*signal = signal_parse(text);
	for (size_t i = 0; i < ARRAY_LENGTH(possible); i++)
		if (*signal == possible[i])
			return true;
	return signal_is_real_time(*signal)
	    || refuse(refusal,
	        "expected HUP, USR1, USR2, ALRM, WINCH, IO or a real-time "
	        "signal");
}

bool
value_status(const char *text, void *field, struct refusal *refusal)
{
	int64_t *status = field;

	return (count_parse(text, status) && *status < EXIT_CODES)
	    || refuse(
	        refusal, "expected an exit status, a number from 0 to 255");
}

bool
value_preset(const char *text, void *field, struct refusal *refusal)
{
	const char **name = field;
	struct preset preset;

	if (strcmp(text, "list") == 0)
		list_presets();
	if (*name != NULL)
		return refuse(refusal, "expected one preset");
	*name = text;
	return presets_find(&preset, text)
	    || refuse(refusal,
	        "expected the name of a preset; --preset=list prints all");
}

/* The option that gives CODES this verdict. */
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

/* Says "7 is in both --retry-on and --stop-on". */
static void
say_conflict(struct refusal *refusal, const struct codes_fault *fault,
    enum verdict verdict)
{
	struct text why = text_in(refusal->why, sizeof refusal->why);

	text_join(&why,
	    fault->status >= 0 ? NUMBER(fault->status) : refusal->item,
	    " is in both --", option_table[option_of(fault->other)].name,
	    " and --", option_table[option_of(verdict)].name);
}

static bool
add_codes(const char *list, struct rules *rules, enum verdict verdict,
    struct refusal *refusal)
{
	struct codes_fault fault;
	enum codes_error error
	    = codes_add(&rules->codes, list, verdict, &fault);
	struct text item = text_in(refusal->item, sizeof refusal->item);

	if (error == CODES_OK)
		return true;
	/* An empty item is easier to find if the whole list is shown. */
	for (size_t i = 0; i < fault.length; i++)
		text_byte(&item, fault.item[i]);
	if (error == CODES_CONFLICT) {
		say_conflict(refusal, &fault, verdict);
		return false;
	}
	return refuse(refusal,
	    "expected codes such as 7, 4-7, nonzero, TERM, timeout or "
	    "EX_TEMPFAIL");
}

/* A parser for the codes of a verdict. */
#define CODES(name, verdict) \
	bool value_##name##_on( \
	    const char *text, void *field, struct refusal *refusal) \
	{ \
		return add_codes(text, field, verdict, refusal); \
	}

/* clang-format off */
CODES(success, VERDICT_SUCCESS)
CODES(pass, VERDICT_PASS)
CODES(throttle, VERDICT_THROTTLE)
CODES(stop, VERDICT_STOP)
/* clang-format on */

bool
value_retry_on(const char *text, void *field, struct refusal *refusal)
{
	struct rules *rules = field;

	rules->listed_only = true;
	return add_codes(text, rules, VERDICT_RETRY, refusal);
}

/* What to look for in the output; too large to be part of the options. */
static struct scan scan;

static bool
add_condition(const char *text, struct options *options, enum verdict verdict,
    struct refusal *refusal)
{
	const char *expected = scan_add(&scan, verdict, text);

	options->streams.scan = &scan;
	return expected == NULL || refuse(refusal, expected);
}

bool
value_success_if(const char *text, void *field, struct refusal *refusal)
{
	struct options *options = field;

	options->settings.rules.match_needed = true;
	return add_condition(text, options, VERDICT_SUCCESS, refusal);
}

bool
value_retry_if(const char *text, void *field, struct refusal *refusal)
{
	struct options *options = field;

	options->settings.rules.listed_only = true;
	return add_condition(text, options, VERDICT_RETRY, refusal);
}

bool
value_throttle_if(const char *text, void *field, struct refusal *refusal)
{
	return add_condition(text, field, VERDICT_THROTTLE, refusal);
}

bool
value_stop_if(const char *text, void *field, struct refusal *refusal)
{
	return add_condition(text, field, VERDICT_STOP, refusal);
}

bool
value_retry_after(const char *text, void *field, struct refusal *refusal)
{
	struct options *options = field;

	const char *expected
	    = text == NULL ? NULL : scan_add_pointer(&scan, text);

	scan.waits.wanted = WANTED_ALL;
	options->streams.scan = &scan;
	return expected == NULL || refuse(refusal, expected);
}

bool
value_tool(const char *text, void *field, struct refusal *refusal)
{
	struct options *options = field;

	options->settings.rules.tool_asked = true;
	options->job.tool = NULL;
	if (text == NULL)
		return true;
	if (strcmp(text, "list") == 0)
		list_tools();
	options->job.tool = tool_named(text);
	return options->job.tool != NULL
	    || refuse(
	        refusal, "expected the name of a tool; --tool=list prints all");
}

void
rules_use_streams(struct options *options)
{
	options->streams.times_output
	    = options->settings.limits.idle_timeout_ns < DURATION_INF;
	/* There may be nothing to look for, but when it comes; or to quote. */
	if (options->streams.times_output || options->streams.hold == HOLD_ALL)
		options->streams.scan = &scan;
}

void
rules_use_tool(struct options *options)
{
	struct job *job = &options->job;

	if (job->wrapped.name != NULL)
		job->known = tool_named(job->wrapped.name);
	if (!options->settings.rules.tool_asked)
		return;
	if (job->tool == NULL)
		job->tool = job->known;
	if (job->tool == NULL)
		return;
	options->settings.rules.tool = tool_name(job->tool);
	if (scan_add_tool(&scan, job->tool))
		options->streams.scan = &scan;
	if (http_client(tool_name(job->tool)) != NULL
	    && scan.waits.wanted == WANTED_NOTHING) {
		scan.waits.wanted = WANTED_HEADERS;
		options->streams.scan = &scan;
	}
}
