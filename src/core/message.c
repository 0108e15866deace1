/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/duration.h"
#include "core/message.h"

static void
add_status(struct text *text, const char *what, int status)
{
	text_add(text, what);
	text_number(text, status);
}

/* "exit 7 (could not connect to host)" */
static void
add_exit(struct text *text, const struct outcome *outcome)
{
	const char *meaning = outcome->evidence.tool.meaning;

	if (outcome->status == 0 && outcome->evidence.match.missing)
		meaning = "no line matches --success-if";
	add_status(text, "exit ", outcome->status);
	if (meaning == NULL)
		return;
	text_add(text, " (");
	text_add(text, meaning);
	text_byte(text, ')');
}

/* "cannot end process 1234 (sudo)" */
static void
add_unended(
    struct text *text, const char *before, const struct unended *unended)
{
	if (unended->pid == 0)
		return;
	text_add(text, before);
	text_add(text, "cannot end process ");
	text_number(text, unended->pid);
	if (unended->name[0] == '\0')
		return;
	text_add(text, " (");
	text_printable(text, unended->name);
	text_byte(text, ')');
}

static void
add_outcome(struct text *text, const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_EXITED:
		add_exit(text, outcome);
		break;
	case OUTCOME_KILLED:
		text_add(text, "killed by ");
		signal_text(text, outcome->signal);
		break;
	case OUTCOME_TIMED_OUT:
		if (outcome->limit_ns == 0 && outcome->unended.pid != 0) {
			add_unended(text, "", &outcome->unended);
			break;
		}
		text_add(text, "timed out after ");
		duration_text(text, outcome->limit_ns);
		add_unended(text, "; ", &outcome->unended);
		break;
	case OUTCOME_NOT_STARTED:
		if (outcome->no_interpreter)
			text_add(text, "interpreter ");
		text_add(text,
		    outcome->error == ENOENT ? "not found"
		                             : strerror(outcome->error));
		break;
	}
}

void
message_reason(struct text *text, const struct outcome *outcome)
{
	const struct evidence *evidence = &outcome->evidence;

	if (evidence->hint.verdict != VERDICT_NONE) {
		text_add(text, "COMMAND asked to ");
		text_add(text, verdict_name(evidence->hint.verdict));
	} else if (evidence->match.verdict != VERDICT_NONE) {
		text_add(text, "output matches '");
		text_printable(text, evidence->match.pattern);
		text_byte(text, '\'');
	} else {
		add_outcome(text, outcome);
	}
	if (evidence->match.last_line != NULL
	    && *evidence->match.last_line != '\0') {
		text_add(text, " \"");
		text_add(text, evidence->match.last_line);
		text_byte(text, '"');
	}
}

static void
add_in(struct text *text, const char *before, int64_t ns)
{
	text_add(text, before);
	duration_text(text, ns);
}

/* "attempt 2/6", "attempt 7 (1/6)" after a reset, "attempt 2" of inf. */
static void
add_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits)
{
	text_add(text, "attempt ");
	text_number(text, state->attempt);
	if (limits->attempts == INT64_MAX)
		return;
	if (state->count != state->attempt) {
		text_add(text, " (");
		text_number(text, state->count);
	}
	text_byte(text, '/');
	text_number(text, limits->attempts);
	if (state->count != state->attempt)
		text_byte(text, ')');
}

static void
add_streak(struct text *text, const struct loop_state *state,
    const struct limits *limits)
{
	text_add(text, "succeeded, ");
	text_number(text, state->streak);
	text_add(text, " of ");
	text_number(text, limits->consecutive);
	text_add(text, " in a row");
}

void
message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t pause_ns)
{
	const struct outcome *outcome = &state->outcome;

	if (pause_ns < 0)
		return;
	add_attempt(text, state, limits);
	text_byte(text, ' ');
	if (state->verdict == VERDICT_SUCCESS) {
		add_streak(text, state, limits);
	} else if (state->verdict == VERDICT_THROTTLE) {
		text_add(text, "throttled: ");
		message_reason(text, outcome);
	} else {
		add_in(text, "failed after ",
		    outcome->ended_ns - outcome->started_ns);
		text_add(text, ": ");
		message_reason(text, outcome);
	}
	add_in(text, "; next in ", pause_ns);
	if (outcome->evidence.hint.has_wait) {
		add_in(text, " (server asked for ",
		    outcome->evidence.hint.wait_ns);
		text_byte(text, ')');
	}
}

/* "no time for another attempt after 3 in 9.2s" */
static void
add_no_time(struct text *text, const struct loop_state *state)
{
	text_add(text, "no time for another attempt after ");
	text_number(text, state->attempt);
	add_in(text, " in ", state->elapsed_ns);
}

static void
add_after_attempts(
    struct text *text, const char *what, const struct loop_state *state)
{
	text_add(text, what);
	text_number(text, state->attempt);
	text_add(text, state->attempt == 1 ? " attempt" : " attempts");
	add_in(text, " in ", state->elapsed_ns);
}

/* "it read 41.2GiB of stdin, --spool-limit is 1GiB" */
static void
add_lost_input(struct text *text, const struct evidence *evidence,
    const struct limits *limits)
{
	if (evidence->input.error == 0) {
		char bytes[2][32];
		struct text taken = text_in(bytes[0], sizeof bytes[0]);
		struct text limit = text_in(bytes[1], sizeof bytes[1]);

		size_text(&taken, evidence->input.taken);
		size_text(&limit, limits->spool_limit);
		text_add(text, "it read ");
		if (strcmp(taken.data, limit.data) == 0)
			text_add(text, "over ");
		text_add(text, taken.data);
		text_add(text, " of stdin, --spool-limit is ");
		text_add(text, limit.data);
	} else {
		text_add(text, "its stdin could not be kept: ");
		text_add(text, strerror(evidence->input.error));
	}
}

static void
add_end_reason(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name)
{
	const struct outcome *outcome = &state->outcome;

	text_add(text, ": ");
	if (ending->vetoed) {
		text_add(text, "hook said no (");
		message_reason(text, &ending->hook);
		text_byte(text, ')');
	} else if (ending->broken != NULL) {
		text_add(text, ending->broken);
		text_add(text, " could not be carried: ");
		text_add(text, strerror(ending->error));
	} else if (ending->asked_too_long) {
		add_in(
		    text, "server asked for ", outcome->evidence.hint.wait_ns);
	} else if (ending->input_lost) {
		add_lost_input(text, &outcome->evidence, limits);
	} else if (state->streak > 0) {
		add_streak(text, state, limits);
	} else {
		message_reason(text, outcome);
		if (outcome->kind == OUTCOME_NOT_STARTED
		    && outcome->status == STATUS_NOT_FOUND
		    && !outcome->no_interpreter && strchr(name, '/') == NULL)
			text_add(text,
			    " (a shell function or builtin? "
			    "try: backoff bash -c '...')");
	}
}

void
message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name)
{
	switch (ending->result) {
	case RESULT_NONE:
	case RESULT_PASS:
		return;
	case RESULT_SUCCESS:
		text_add(text, "succeeded at ");
		add_attempt(text, state, limits);
		add_in(text, " in ", state->elapsed_ns);
		return;
	case RESULT_INTERRUPTED:
		text_add(text, "interrupted by ");
		signal_text(text, ending->interrupted_by);
		add_after_attempts(text, " after ", state);
		add_unended(text, ": ", &state->outcome.unended);
		return;
	case RESULT_STOPPED:
		text_add(text, "not retrying after ");
		add_attempt(text, state, limits);
		break;
	case RESULT_ERROR:
		add_after_attempts(text, "failed after ", state);
		break;
	case RESULT_EXHAUSTED:
		add_after_attempts(text, "giving up after ", state);
		break;
	case RESULT_DEADLINE:
		if (ending->no_time)
			add_no_time(text, state);
		else
			add_after_attempts(
			    text, "deadline reached after ", state);
		if (state->attempt == 0)
			return;
		break;
	}
	add_end_reason(text, state, limits, ending, name);
	if (!ending->vetoed)
		add_unended(text, "; ", &ending->hook.unended);
}

static void
add_limit(struct text *text, const char *what, int64_t ns)
{
	if (ns != DURATION_INF)
		add_in(text, what, ns);
}

void
message_settings(struct text *text, const struct settings *settings)
{
	const struct policy *policy = &settings->policy;
	const struct limits *limits = &settings->limits;

	text_add(text, "attempts ");
	if (limits->attempts == INT64_MAX)
		text_add(text, "inf");
	else
		text_number(text, limits->attempts);
	text_add(text, ", windows");
	for (int64_t n = 1; n <= 4; n++)
		add_in(text, " ", schedule_window(policy, n));
	add_in(text, " ..., cap ", policy->cap_ns);
	add_in(text, ", floor ", policy->floor_ns);
	add_limit(text, ", timeout ", limits->timeout_ns);
	add_limit(text, ", deadline ", limits->deadline_ns);
	if (settings->rules.tool != NULL) {
		text_add(text, ", tool ");
		text_add(text, settings->rules.tool);
	} else if (settings->rules.tool_asked) {
		text_add(text, ", tool unknown");
	}
}
