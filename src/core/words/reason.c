/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/words/reason.h"

/* "cannot end process 1234 (sudo)" */
void
reason_unended(
    struct text *text, const char *before, const struct unended *unended)
{
	if (unended->pid == 0)
		return;
	text_join(text, before, "cannot end process ", NUMBER(unended->pid));
	if (unended->name[0] == '\0')
		return;
	text_add(text, " (");
	text_printable(text, unended->name);
	text_byte(text, ')');
}

void
reason_outcome(struct text *text, const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_EXITED:
		text_join(text, "exit ", NUMBER(outcome->status));
		break;
	case OUTCOME_KILLED:
		text_add(text, "killed by ");
		signal_text(text, outcome->signal);
		break;
	case OUTCOME_TIMED_OUT:
		if (outcome->limit_ns == 0 && outcome->unended.pid != 0) {
			reason_unended(text, "", &outcome->unended);
			break;
		}
		text_join(text, "timed out after ", DURATION(outcome->limit_ns),
		    outcome->was_silent ? " without output" : "");
		reason_unended(text, "; ", &outcome->unended);
		break;
	case OUTCOME_NOT_STARTED:
		text_join(text, outcome->no_interpreter ? "interpreter " : "",
		    outcome->error == ENOENT ? "not found"
		                             : strerror(outcome->error));
		break;
	}
}

static void
add_in_parentheses(struct text *text, const char *words)
{
	if (words != NULL && *words != '\0')
		text_join(text, " (", words, ")");
}

/* The option or rule that decided the verdict, or "" for the default. */
static const char *
rule_name(enum rule rule)
{
	static const char names[RULE_UNMATCHED + 1][32] = {
		[RULE_MATCH] = "output matches --stop-if",
		[RULE_STOP_ON] = "--stop-on",
		[RULE_SUCCESS_ON] = "--success-on",
		[RULE_UNLISTED] = "not in --retry-on",
		[RULE_UNMATCHED] = "no line matches --retry-if",
		[RULE_NO_MATCH] = "no line matches --success-if",
	};

	return names[rule];
}

static void
add_hint_verdict(struct text *text, enum verdict verdict)
{
	static const char *const words[VERDICTS] = {
		[VERDICT_SUCCESS] = "reported success",
		[VERDICT_PASS] = "reported a pass",
		[VERDICT_RETRY] = "asked to retry",
		[VERDICT_THROTTLE] = "asked to slow down",
		[VERDICT_STOP] = "asked to stop",
	};

	text_join(text, "the command ", words[verdict], " (BACKOFF_HINT)");
}

void
reason_without_line(struct text *text, const struct outcome *outcome)
{
	const struct evidence *evidence = &outcome->evidence;

	if (outcome->rule == RULE_HINT) {
		add_hint_verdict(text, evidence->hint.verdict);
	} else if (outcome->rule == RULE_MATCH
	    && (outcome->kind != OUTCOME_EXITED || outcome->status != 0
	        || evidence->match.verdict != VERDICT_STOP)) {
		text_add(text, "output matches '");
		text_bounded(text, evidence->match.pattern);
		text_byte(text, '\'');
	} else {
		reason_outcome(text, outcome);
		if (outcome->kind == OUTCOME_EXITED)
			add_in_parentheses(text, evidence->tool.meaning);
		add_in_parentheses(text, rule_name(outcome->rule));
	}
}

const char *
reason_line(const struct outcome *outcome)
{
	const char *line = outcome->evidence.match.last_line;

	return line != NULL && *line != '\0' ? line : NULL;
}

void
reason_text(struct text *text, const struct outcome *outcome)
{
	const char *line = reason_line(outcome);

	reason_without_line(text, outcome);
	if (line != NULL) {
		text_add(text, " \"");
		text_bounded(text, line);
		text_byte(text, '"');
	}
}

void
reason_streak(struct text *text, const struct loop_state *state,
    const struct limits *limits)
{
	text_join(text, "succeeded, ", NUMBER(state->streak), " of ",
	    NUMBER(limits->consecutive), " in a row");
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
		text_join(text, "it read ",
		    strcmp(taken.data, limit.data) == 0 ? "over " : "",
		    taken.data, " of stdin, --spool-limit is ", limit.data);
	} else {
		text_add(text, "cannot keep stdin in TMPDIR ");
		text_bounded(text, evidence->input.directory);
		text_join(text, ": ", strerror(evidence->input.error));
	}
}

/* Builtins and keywords: no program has their names. */
static const char of_shells[]
    = "! [[ { alias bg case cd command declare eval exec exit export fg for "
      "function if jobs let local popd pushd read return select set shift "
      "source time trap type typeset ulimit umask unset until wait while";

/* How to write what a NAME that was not found may have meant. */
static void
add_likely_meaning(
    struct text *text, const struct outcome *outcome, const char *name)
{
	const char *duration = JOINED(32, outcome->number, name); /* or "" */
	int64_t ns;

	if (outcome->is_here) {
		text_add(text, " (it is in this directory: ./");
		text_bounded(text, name);
		text_byte(text, ')');
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

void
reason_asked(struct text *text, const char *before, const struct hint *hint)
{
	text_join(text, before, DURATION(hint->wait_ns),
	    hint->until[0] != '\0' ? ", until " : "", hint->until);
}

static void
add_asked_too_long(struct text *text, const struct outcome *outcome,
    const struct limits *limits, enum result result)
{
	reason_asked(text, "server asked to wait ", &outcome->evidence.hint);
	if (result == RESULT_STOPPED)
		text_join(text, ", more than --hint-max (",
		    DURATION(limits->hint_max_ns), ")");
	else
		text_add(text, ", more than is left");
}

bool
reason_of_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name,
    const char **line)
{
	const struct outcome *outcome = &state->outcome;

	if (line != NULL)
		*line = NULL;
	if (ending->closing != NULL) {
		if (ending->closing_reason != NULL)
			text_add(text, ending->closing_reason);
		return ending->closing_reason != NULL;
	}
	if (ending->result < RESULT_EXHAUSTED
	    || ending->result == RESULT_INTERRUPTED
	    || (ending->result == RESULT_DEADLINE && state->attempt == 0))
		return false;
	if (ending->vetoed) {
		text_add(text, "--before-retry refused (");
		reason_text(text, &ending->hook);
		text_byte(text, ')');
	} else if (ending->broken != NULL) {
		text_join(text, ending->broken,
		    " could not be passed on: ", strerror(ending->error));
	} else if (ending->asked_too_long) {
		add_asked_too_long(text, outcome, limits, ending->result);
	} else if (ending->input_lost) {
		add_lost_input(text, &outcome->evidence, limits);
	} else if (state->streak > 0) {
		reason_streak(text, state, limits);
	} else {
		if (line == NULL) {
			reason_text(text, outcome);
		} else {
			reason_without_line(text, outcome);
			*line = reason_line(outcome);
		}
		if (outcome->kind == OUTCOME_NOT_STARTED
		    && outcome->status == STATUS_NOT_FOUND
		    && !outcome->no_interpreter)
			add_likely_meaning(text, outcome, name);
		if (outcome->evidence.full != NULL) {
			text_add(text, " (output is held in ");
			text_bounded(text, outcome->evidence.full);
			text_add(text, ", which is full)");
		}
	}
	return true;
}
