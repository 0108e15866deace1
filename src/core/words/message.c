/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/base.h"
#include "core/words/words.h"

/* BEFORE and "cannot end process 1234 (sudo)", if there was one. */
static void
add_unended(
    struct text *text, const char *before, const struct named_process *unended)
{
	if (unended->pid == 0)
		return;
	text_join(text, before, "cannot end process ", NUMBER(unended->pid));
	if (unended->name[0] != '\0')
		text_bounded(text, " (", unended->name, ")");
}

/* Whether not even --grace could end it. */
static bool
is_unendable(const struct outcome *outcome)
{
	return outcome->limit_ns == 0 && outcome->left.unended.pid != 0;
}

/* Only what happened: "exit 7", "killed by SEGV". */
static void
add_outcome(struct text *text, const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_EXITED:
		text_join(text, "exit ", NUMBER(outcome->status));
		break;
	case OUTCOME_KILLED:
		text_join(text, "killed by ", SIGNAL(outcome->signal));
		break;
	case OUTCOME_TIMED_OUT:
		if (is_unendable(outcome)) {
			add_unended(text, "", &outcome->left.unended);
			break;
		}
		text_join(text, "timed out after ", DURATION(outcome->limit_ns),
		    outcome->was_silent ? " without output" : "");
		add_unended(text, "; ", &outcome->left.unended);
		break;
	case OUTCOME_NOT_STARTED:
		if (outcome->wrapper != NULL)
			text_join(text, outcome->wrapper, ": ");
		text_join(text, outcome->no_interpreter ? "interpreter " : "",
		    outcome->error == ENOENT ? "not found"
		                             : strerror(outcome->error));
		break;
	}
}

static void
add_in_parentheses(struct text *text, const char *words)
{
	if (*words != '\0')
		text_join(text, " (", words, ")");
}

/* Whether the REASON is that the output matches a REGEX. */
static bool
is_by_match(const struct outcome *outcome)
{
	return outcome->rule == RULE_MATCH && outcome->kind != OUTCOME_TIMED_OUT
	    && (outcome->kind != OUTCOME_EXITED || outcome->status != 0
	        || outcome->evidence.match.verdict != VERDICT_STOP);
}

const char *
reason_line(const struct outcome *outcome)
{
	const char *line = outcome->evidence.match.last_line;

	return line != NULL && *line != '\0' ? line : NULL;
}

void
reason_text(struct text *text, const struct outcome *outcome, const char *line)
{
	/* The option or rule that decided the verdict; "": the default. */
	static const char rules[RULE_UNMATCHED + 1][32] = {
		[RULE_STOP_ON] = "--stop-on",
		[RULE_SUCCESS_ON] = "--success-on",
		[RULE_UNLISTED] = "not in --retry-on",
		[RULE_UNMATCHED] = "no line matches --retry-if",
		[RULE_NO_MATCH] = "no line matches --success-if",
	};
	static const char *const hints[VERDICTS] = {
		[VERDICT_SUCCESS] = "reported success",
		[VERDICT_PASS] = "reported a pass",
		[VERDICT_RETRY] = "asked to retry",
		[VERDICT_THROTTLE] = "asked to slow down",
		[VERDICT_STOP] = "asked to stop",
	};
	const struct evidence *evidence = &outcome->evidence;
	const char *meaning = evidence->tool.meaning;

	if (outcome->rule == RULE_HINT) {
		text_join(text, "the command ", hints[evidence->hint.verdict],
		    " (BACKOFF_HINT)");
	} else if (is_by_match(outcome)) {
		text_bounded(
		    text, "output matches '", evidence->match.pattern, "'");
	} else {
		add_outcome(text, outcome);
		/* Some tables say no more than "failed". */
		if (outcome->kind == OUTCOME_EXITED && meaning != NULL
		    && strcmp(meaning, "failed") != 0
		    && strcmp(meaning, "error") != 0)
			add_in_parentheses(text, meaning);
		if (outcome->rule == RULE_MATCH)
			text_join(text, " (output matches --",
			    verdict_name(evidence->match.verdict), "-if)");
		else
			add_in_parentheses(text, rules[outcome->rule]);
	}
	if (line != NULL)
		text_bounded(text, " \"", line, "\"");
}

/* "it read 41.2GiB of stdin, --spool-limit is 1GiB" */
static void
add_lost_input(struct text *text, const struct evidence *evidence,
    const struct limits *limits)
{
	if (evidence->input.error == 0) {
		struct text taken = TEXT_OF(32), limit = TEXT_OF(32);

		size_text(&taken, evidence->input.taken);
		size_text(&limit, limits->spool_limit);
		text_join(text, "it read ",
		    strcmp(taken.data, limit.data) == 0 ? "over " : "",
		    taken.data, " of stdin, --spool-limit is ", limit.data);
	} else {
		text_bounded(text, "cannot keep stdin in TMPDIR ",
		    evidence->input.directory, ": ");
		text_add(text, strerror(evidence->input.error));
	}
}

/* Builtins and keywords that no program is named after. */
static const char of_shells[]
    = "! : [[ { alias bg break builtin case cd command continue declare "
      "disown do done elif else esac eval exec exit export fg fi for function "
      "getopts hash if jobs let local mapfile popd pushd read return select "
      "set shift shopt source then time times trap type typeset ulimit umask "
      "unset until wait while";

/* Adds how to write what was probably meant by NAME, which was not found. */
static void
add_likely_meaning(
    struct text *text, const struct outcome *outcome, const char *name)
{
	const char *duration = JOINED(32, outcome->number, name); /* or "" */
	int64_t ns;

	if (outcome->is_here) {
		text_bounded(text, " (it is in this directory: ./", name, ")");
	} else if (words_have(of_shells, name, strlen(name))) {
		text_add(text, " (part of a shell: sh -c '...')");
	} else if (is_letter(*name) && duration_parse(duration, &ns)) {
		text_join(text, " (a duration is one word: ", duration, ")");
	} else if (name[strcspn(name, " \t\n")] != '\0') {
		text_add(text,
		    " (one word with blanks: write the words apart, or "
		    "sh -c '...')");
	} else if (name[strcspn(name, "=/")] == '=') {
		text_add(text, " (env NAME=... COMMAND)");
	} else if (strchr(name, '/') == NULL) {
		text_add(text,
		    " (a shell function? export -f it, then: "
		    "backoff bash -euo pipefail -c 'NAME \"$@\"' _ ...)");
	}
}

/* BEFORE and the wait that the server asked for: "9m10s, until 14:24:53". */
static void
add_wait(struct text *text, const char *before, const struct hint *hint)
{
	text_join(text, before, DURATION(hint->wait_ns),
	    hint->until[0] != '\0' ? ", until " : "", hint->until);
}

/* The stream that failed, in an attempt or before it could start. */
static void
add_broken(
    struct text *text, const struct stream_failure *failure, bool has_started)
{
	if (!has_started
	    && (failure->error == EMFILE || failure->error == ENFILE))
		text_join(text, "no descriptor left for ", failure->stream);
	else
		text_join(text, failure->stream,
		    has_started ? " could not be passed on: " : ": ",
		    strerror(failure->error));
}

/* What kept COMMAND from doing its work, and what may help. */
static void
add_last_outcome(struct text *text, const struct outcome *outcome,
    const char *name, const char **line)
{
	if (line != NULL)
		*line = reason_line(outcome);
	reason_text(text, outcome, line == NULL ? reason_line(outcome) : NULL);
	if (outcome->kind == OUTCOME_NOT_STARTED
	    && outcome->status == STATUS_NOT_FOUND && !outcome->no_interpreter
	    && outcome->wrapper == NULL)
		add_likely_meaning(text, outcome, name);
	if (outcome->evidence.full != NULL)
		text_bounded(text, " (output is held in ",
		    outcome->evidence.full, ", which is full)");
}

void
reason_of_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name,
    const char **line)
{
	const struct outcome *outcome = &state->outcome;

	if (line != NULL)
		*line = NULL;
	if (ending->entry.admission == ADMISSION_REFUSED
	    || state->attempt == 0) {
		if (ending->entry.reason != NULL)
			text_add(text, ending->entry.reason);
	} else if (ending->result < RESULT_EXHAUSTED
	    || ending->result == RESULT_INTERRUPTED) {
		return;
	} else if (ending->vetoed) {
		text_add(text, "--before-retry failed (");
		reason_text(text, &ending->hook, NULL);
		text_byte(text, ')');
	} else if (ending->failure.stream != NULL) {
		add_broken(text, &ending->failure,
		    outcome->kind != OUTCOME_NOT_STARTED);
	} else if (ending->asked_too_long) {
		add_wait(
		    text, "server asked to wait ", &outcome->evidence.hint);
		if (ending->result == RESULT_STOPPED)
			text_join(text, ", more than --hint-max (",
			    DURATION(limits->hint_max_ns), ")");
		else
			text_add(text, ", more than is left");
	} else if (ending->input_lost) {
		add_lost_input(text, &outcome->evidence, limits);
	} else if (state->streak > 0) {
		text_join(text, "only ", NUMBER(state->streak), " of ",
		    NUMBER(limits->consecutive), " successes in a row");
	} else {
		add_last_outcome(text, outcome, name, line);
	}
}

/*
 * "attempt 2/8", "attempt 7 (1/8 since the reset)", "attempt 7 (2/8)" after
 * probes, "attempt 2" of inf.
 */
static void
add_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits)
{
	text_join(text, "attempt ", NUMBER(state->attempt));
	if (limits->attempts == INT64_MAX)
		return;
	if (state->count != state->attempt) {
		text_join(text, " (", NUMBER(state->count), "/",
		    NUMBER(limits->attempts),
		    state->is_reset ? " since the reset)" : ")");
	} else {
		text_join(text, "/", NUMBER(limits->attempts));
	}
}

int64_t
repeats_count(struct repeats *repeats, const struct loop_state *state)
{
	struct text words = TEXT_OF(REASON_SIZE);
	const char *line = reason_line(&state->outcome);
	uint64_t quote = line != NULL ? hash_of(line, strlen(line)) : 0;
	uint64_t reason;

	if (state->verdict == VERDICT_SUCCESS) {
		*repeats = (struct repeats) { .count = 0 };
		return 0;
	}
	reason_text(&words, &state->outcome, line);
	reason = hash_of(words.data, words.length);
	if (reason != repeats->reason)
		repeats->count = 0;
	repeats->reason = reason;
	repeats->has_same_quote = quote != 0 && quote == repeats->quote;
	repeats->quote = quote;
	if (++repeats->count <= 10)
		return 0;
	return repeats->count % 10 == 0 ? 9 : -1;
}

/* How it failed, and why: " failed after 4.1s: exit 7". */
static void
add_failure(struct text *text, const struct loop_state *state, int64_t skipped)
{
	const struct outcome *outcome = &state->outcome;
	bool is_polling = outcome->rule == RULE_NO_MATCH;
	bool is_timeout = outcome->kind == OUTCOME_TIMED_OUT
	    && outcome->rule != RULE_HINT && !is_by_match(outcome)
	    && !is_unendable(outcome);

	if (state->verdict == VERDICT_THROTTLE)
		text_add(text, " throttled: ");
	else if (is_timeout)
		text_byte(text, ' '); /* its REASON is a verb, with the time */
	else
		text_join(text, is_polling ? " not done" : " failed",
		    skipped > 0 ? ", the last" : "", " after ",
		    DURATION(outcome->ended_ns - outcome->started_ns), ": ");
	if (is_polling)
		text_add(text, "no line matches --success-if");
	else
		reason_text(text, outcome, reason_line(outcome));
}

void
message_next(struct text *text, const struct loop_state *state,
    int64_t pause_ns, const char *end)
{
	const struct hint *hint = &state->outcome.evidence.hint;

	if (pause_ns != PAUSE_AT_GATE)
		text_join(text, "; next in ", DURATION(pause_ns),
		    *end != '\0' ? ", at " : "", end);
	else if (state->probe.number == 0)
		text_add(text, "; queued at the gate");
	if (hint->has_wait) {
		add_wait(text, " (server asked for ", hint);
		text_byte(text, ')');
	}
}

void
message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t skipped)
{
	const struct probe *probe = &state->probe;

	if (skipped > 0)
		text_join(text, "attempts ", NUMBER(state->attempt - skipped),
		    " to ", NUMBER(state->attempt));
	else if (probe->number > 0)
		text_join(text, "probe ", NUMBER(probe->number), " at gate ",
		    probe->gate);
	else
		add_attempt(text, state, limits);
	if (state->verdict == VERDICT_SUCCESS)
		text_join(text, " succeeded, ", NUMBER(state->streak), " of ",
		    NUMBER(limits->consecutive), " in a row");
	else
		add_failure(text, state, skipped);
	if (probe->number > 0 && !probe->is_counted)
		text_add(text, " (not counted)");
}

/* Whether COMMAND has not run at all. */
static bool
nothing_ran(const struct loop_state *state)
{
	return state->attempt == 0
	    || (state->attempt == 1
	        && state->outcome.kind == OUTCOME_NOT_STARTED);
}

/* WHAT and " after 8 attempts in 21.4s"; " after 4s" if nothing ran. */
static void
add_after_attempts(
    struct text *text, const char *what, const struct loop_state *state)
{
	text_join(text, what, " after ");
	if (!nothing_ran(state))
		text_join(text, NUMBER(state->attempt),
		    state->attempt == 1 ? " attempt in " : " attempts in ");
	text_add(text, DURATION(state->elapsed_ns));
}

static void
add_success(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending)
{
	bool is_pass = ending->result == RESULT_PASS;

	text_add(text, is_pass ? "passed at " : "succeeded at ");
	add_attempt(text, state, limits);
	text_join(text, " in ", DURATION(state->elapsed_ns));
	if (is_pass) {
		text_add(text, " (");
		add_outcome(text, &state->outcome);
		text_byte(text, ')');
	} else if (ending->status != 0) {
		text_join(text, ": exit ", NUMBER(ending->status),
		    " (--flaky-status)");
	}
}

/* WHAT, AFTER and "attempt 2/8"; only WHAT if nothing ran. */
static void
add_after_attempt(struct text *text, const char *what, const char *after,
    const struct loop_state *state, const struct limits *limits)
{
	text_add(text, what);
	if (nothing_ran(state))
		return;
	text_add(text, after);
	add_attempt(text, state, limits);
}

static void
add_deadline(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending)
{
	const char *limit
	    = ending->until_is_near ? "--until reached" : "deadline reached";

	if (ending->entry.words != NULL) {
		text_join(text, limit, " in ", DURATION(state->elapsed_ns),
		    ", waiting for ", ending->entry.words);
		return;
	}
	if (!ending->no_time) {
		add_after_attempts(text, limit, state);
		return;
	}
	add_after_attempts(text, "giving up", state);
	if (ending->until_is_near)
		text_add(text, ", as --until");
	else
		text_join(text, ", as the ", DURATION(limits->deadline_ns),
		    " deadline");
	text_add(text, " leaves no time for another");
}

void
message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name)
{
	struct text reason = TEXT_OF(REASON_SIZE);

	if (ending->entry.admission == ADMISSION_REFUSED) {
		text_add(text, ending->entry.words);
		return;
	}
	switch (ending->result) {
	case RESULT_NONE:
	case RESULT_DEFERRED:
		return;
	case RESULT_PASS:
	case RESULT_SUCCESS:
		add_success(text, state, limits, ending);
		return;
	case RESULT_INTERRUPTED:
		text_join(text, "interrupted by ",
		    SIGNAL(ending->end_signal != 0 ? ending->end_signal
		                                   : ending->signal));
		add_after_attempts(text, "", state);
		add_unended(text, ": ", &state->outcome.left.unended);
		break;
	case RESULT_STOPPED:
		add_after_attempt(
		    text, "not retrying", " after ", state, limits);
		break;
	case RESULT_ERROR:
		if (state->outcome.kind == OUTCOME_NOT_STARTED)
			add_after_attempt(
			    text, "cannot start", " ", state, limits);
		else
			add_after_attempts(text, "failed", state);
		break;
	case RESULT_EXHAUSTED:
		add_after_attempts(text, "giving up", state);
		break;
	case RESULT_DEADLINE:
		add_deadline(text, state, limits, ending);
		break;
	}
	reason_of_end(&reason, state, limits, ending, name, NULL);
	text_join(text, reason.length > 0 ? ": " : "", reason.data);
	if (!ending->vetoed)
		add_unended(text, "; ", &ending->hook.left.unended);
	/* A user with the rights of the process can end it. */
	if (state->outcome.left.unended.pid != 0
	    || ending->hook.left.unended.pid != 0)
		text_add(
		    text, "; run it as: sudo backoff ... (or sudo timeout)");
}

/* Writes the first COUNT of these bytes as %25 and the like. */
static void
add_escaped(struct text *text, const char *string, size_t count)
{
	static const char bytes[] = "%\r\n:,";
	static const char codes[][4] = { "%25", "%0D", "%0A", "%3A", "%2C" };

	for (; *string != '\0'; string++) {
		const char *found = memchr(bytes, *string, count);

		if (found != NULL)
			text_add(text, codes[found - bytes]);
		else
			text_byte(text, *string);
	}
}

void
annotation_text(
    struct text *text, const char *kind, const char *name, const char *message)
{
	struct text title = TEXT_OF(2 * TEXT_BOUND);
	size_t start;

	text_bounded(&title, "backoff: ", name, "");
	text_join(text, "::", kind, " title=");
	start = text->length;
	add_escaped(text, title.data, 5);
	text_add(text, "::");
	add_escaped(text, message, 3);
	annotation_defuse(text->data + start);
}

void
annotation_defuse(char *line)
{
	while ((line = strstr(line, "##[")) != NULL)
		line[1] = '?';
}
