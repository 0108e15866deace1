/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <signal.h>

#include "core/base/duration.h"
#include "core/judge/verdict.h"
#include "options/in_force.h"
#include "streams/scan.h"

static void
add_word(struct text *text, const char *name, const char *word)
{
	text_join(text, ", ", name, " ", word);
}

static void
add_signal(struct text *text, const char *name, int signal)
{
	add_word(text, name, "");
	signal_text(text, signal);
}

/* Adds a REGEX or a script as the user wrote it, in quotes. */
static void
add_quoted(struct text *text, const char *said)
{
	text_add(text, " '");
	text_bounded(text, said);
	text_byte(text, '\'');
}

static void
add_script(struct text *text, const char *name, const char *script)
{
	if (script == NULL)
		return;
	text_join(text, ", ", name);
	add_quoted(text, script);
}

static void
add_conditions(struct text *text, const struct scan *scan)
{
	for (size_t i = 0; i < scan->count; i++) {
		const struct condition *condition = &scan->conditions[i];

		if (condition->is_known)
			continue;
		text_join(text, ", ", verdict_name(condition->verdict), "-if");
		add_quoted(text, condition->regex.text);
	}
	if (scan->waits.wanted == WANTED_ALL)
		text_add(text, ", retry-after");
	for (size_t i = 0; i < scan->pointers_count; i++)
		add_script(text, "retry-after", scan->pointers[i].text);
}

static void
add_streams(struct text *text, const struct options *options)
{
	static const char modes[][8] = { "replay", "inherit", "null" };
	enum stdin_mode mode = options->streams.stdin_mode;
	/* A single attempt needs no replay. */
	enum stdin_mode usual = options->settings.limits.attempts == 1
	    ? STDIN_INHERIT
	    : STDIN_REPLAY;

	if (mode != usual)
		add_word(text, "stdin", modes[mode]);
	if (options->job.quiet_repeats)
		text_add(text, ", quiet-repeats");
	else if (options->job.quiet_success)
		text_add(text, ", quiet-success");
	else if (options->streams.hold != HOLD_NOTHING)
		add_word(text, "hold",
		    options->streams.hold == HOLD_ALL ? "all" : "stdout");
	if (options->streams.scan != NULL)
		add_conditions(text, options->streams.scan);
}

static void
add_shared(struct text *text, const struct shared_options *shared)
{
	if (shared->gate.name[0] != '\0') {
		add_word(text, "gate", "");
		shared_name_add(text, shared->gate.name, shared->gate.fleet);
		add_word(text, "gate-wait", DURATION(shared->gate.wait_ns));
	}
	if (shared->slots.name[0] != '\0') {
		add_word(text, "slots", "");
		shared_name_add(text, shared->slots.name, shared->slots.fleet);
		text_join(text, ":", NUMBER(shared->slots.count));
		if (shared->slots.wait_ns != DURATION_INF)
			add_word(text, "slots-wait",
			    DURATION(shared->slots.wait_ns));
	}
	if (shared->defer.name[0] != '\0') {
		add_word(text, "defer", shared->defer.name);
		text_join(text, ":", DURATION(shared->defer.limits.low_ns),
		    "..", DURATION(shared->defer.limits.high_ns));
	}
	add_script(text, "state-dir", shared->directory);
}

void
options_in_force(struct text *text, const struct options *options)
{
	const struct job *job = &options->job;

	if (job->signal != SIGTERM)
		add_signal(text, "signal", job->signal);
	if (job->grace_ns != DURATION_INF)
		add_word(text, "grace", DURATION(job->grace_ns));
	if (options->wake_on != 0)
		add_signal(text, "wake-on", options->wake_on);
	add_shared(text, &options->shared);
	add_streams(text, options);
	add_script(text, "before-retry", job->before_retry);
	add_script(text, "at-end", job->at_end);
	if (options->seeded)
		add_word(text, "seed", NUMBER(options->seed));
}
