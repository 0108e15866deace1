/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "options/checks.h"
#include "options/program.h"

static void
derive_policy(struct policy *policy, const struct given *given)
{
	bool list = policy->delays_ns != NULL;

	/* What is not drawn from the list begins with it: throttles, hints. */
	if (list)
		policy->base_ns = policy->delays_ns[0];
	if (given->text[OPT_CAP] == NULL)
		policy->cap_ns = list ? DURATION_INF
		                      : max_ns(30 * NS_PER_S, policy->base_ns);
	/* Not above a cap that is below the base: no pause would be random. */
	if (given->text[OPT_FLOOR] == NULL)
		policy->floor_ns
		    = list ? 0 : min_ns(policy->base_ns, policy->cap_ns) / 10;
	if (given->text[OPT_JITTER] == NULL && list)
		policy->jitter.kind = JITTER_NONE;
	/* A list has no base to be a slot. */
	if (policy->slot_ns == SLOT_IS_BASE)
		policy->slot_ns = list ? 0 : policy->base_ns;
	if (given->text[OPT_THROTTLE_BASE] == NULL)
		policy->throttle_base_ns
		    = saturating_multiply(policy->base_ns, 5);
}

static void
derive_attempts(struct options *options)
{
	const struct policy *policy = &options->settings.policy;
	struct limits *limits = &options->settings.limits;

	limits->attempts = program.attempts;
	/* A single delay repeats: "-d 5s" means every 5 s, not twice. */
	if (policy->delays_ns != NULL && policy->delays > 1)
		limits->attempts = (int64_t)policy->delays + 1;
	if (limits->deadline_ns < DURATION_INF || limits->until_ns < INT64_MAX)
		limits->attempts = INT64_MAX;
}

static void
derive_streams(struct options *options, const struct given *given)
{
	const struct limits *limits = &options->settings.limits;

	if (given->text[OPT_STDIN] == NULL && limits->attempts == 1)
		options->streams.stdin_mode = STDIN_INHERIT;
	options->streams.spool_limit = limits->spool_limit;
	if (options->job.quiet_repeats)
		options->job.quiet_success = true;
	if (options->job.quiet_success)
		options->streams.hold = HOLD_ALL;
	options->log.held = options->job.quiet_success;
}

static void
derive_formats(struct options *options, const struct given *given)
{
	const char *actions = getenv("GITHUB_ACTIONS");

	/* In a step of GitHub Actions, the end of the log is to be seen. */
	if (given->text[OPT_LOG_FORMAT] == NULL && options->log.file == NULL
	    && actions != NULL && strcmp(actions, "true") == 0)
		options->log.format = LOG_GITHUB;
}

/* As a shell would read it. */
void
option_note(struct text *notes, enum option_id id, const char *text)
{
	static const char plain[]
	    = "abcdefghijklmnopqrstuvwxyz"
	      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
	const char *quote;

	text_join(notes,
	    option_table[id].programs == PROGRAM_PRESET ? " " : " --",
	    option_table[id].name);
	if (text == NULL)
		return;
	quote = text[strspn(text, plain)] != '\0' ? "'" : "";
	text_join(notes, "=", quote);
	text_bounded(notes, text);
	text_add(notes, quote);
}

void
option_defaults(struct options *options, const struct given *given)
{
	derive_policy(&options->settings.policy, given);
	options->settings.limits.attempts_given
	    = given->text[OPT_ATTEMPTS] != NULL;
	if (!options->settings.limits.attempts_given)
		derive_attempts(options);
	derive_streams(options, given);
	derive_formats(options, given);
}

bool
option_contradiction(const struct options *options, const struct given *given,
    struct contradiction *found)
{
	const struct policy *policy = &options->settings.policy;
	const struct limits *limits = &options->settings.limits;
	static const char with[] = "cannot be combined with ";
	static const char no_more[] = "expected no more than ";
	enum jitter_kind jitter = policy->jitter.kind;
	const struct {
		struct contradiction contradiction;
		bool by_value; /* also if B was not given: its default counts */
		bool holds;
	} all[] = {
		{ { OPT_DELAYS, OPT_BASE, with, "" }, false, true },
		{ { OPT_DELAYS, OPT_FACTOR, with, "" }, false, true },
		{ { OPT_DELAYS, OPT_GROWTH, with, "" }, false, true },
		{ { OPT_DELAYS, OPT_JITTER, with, "=decorrelated" }, false,
		    jitter == JITTER_DECORRELATED },
		{ { OPT_DELAYS, OPT_JITTER, with, "=smooth" }, false,
		    jitter == JITTER_SMOOTH },
		{ { OPT_FLOOR, OPT_CAP, no_more, "" }, true,
		    policy->floor_ns > policy->cap_ns },
		{ { OPT_SLOT_TIME, OPT_CAP, no_more, "" }, true,
		    policy->slot_ns > policy->cap_ns },
		{ { OPT_CONSECUTIVE, OPT_ATTEMPTS, no_more, "" }, true,
		    limits->consecutive > limits->attempts },
		{ { OPT_GATE_WAIT, OPT_GATE, "expected ", "=NAME with it" },
		    true, given->text[OPT_GATE] == NULL },
		{ { OPT_QUIET_REPEATS, OPT_DEFER, "expected ",
		      "=NAME with it" },
		    true, given->text[OPT_DEFER] == NULL },
		{ { OPT_SLOTS_WAIT, OPT_SLOTS, "expected ", "=NAME:N with it" },
		    true, given->text[OPT_SLOTS] == NULL },
		{ { OPT_MACHINES, OPT_HERD_GATE, "expected ", " with it" },
		    true, given->text[OPT_HERD_GATE] == NULL },
		{ { OPT_HERD_GATE, OPT_MACHINES, "expected ", " with it" },
		    true,
		    options->herd.gate == HERD_GATE_FLEET
		        && given->text[OPT_MACHINES] == NULL },
		{ { OPT_MACHINES, OPT_CLIENTS, no_more, "" }, false,
		    options->herd.machines > options->herd.clients },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
		*found = all[i].contradiction;
		if (given->text[found->a] != NULL && all[i].holds
		    && (all[i].by_value || given->text[found->b] != NULL))
			return true;
	}
	return false;
}
