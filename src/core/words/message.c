/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/known/tables.h"
#include "core/words/message.h"

/* BEFORE and "cannot end process 1234 (sudo)", if there was one. */
static void
add_unended(
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

/* Only what happened: "exit 7", "killed by SEGV". */
static void
add_outcome(struct text *text, const struct outcome *outcome)
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
			add_unended(text, "", &outcome->unended);
			break;
		}
		text_join(text, "timed out after ", DURATION(outcome->limit_ns),
		    outcome->was_silent ? " without output" : "");
		add_unended(text, "; ", &outcome->unended);
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
		add_outcome(text, outcome);
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

/* "succeeded, 1 of 3 in a row" */
static void
add_streak(struct text *text, const struct loop_state *state,
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

/* Builtins and keywords that no program is named after. */
static const char of_shells[]
    = "! [[ { alias bg case cd command declare eval exec exit export fg for "
      "function if jobs let local popd pushd read return select set shift "
      "source time trap type typeset ulimit umask unset until wait while";

/* How to write what a NAME that was not found was probably meant as. */
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

/* BEFORE and the wait that the server asked for: "9m10s, until 14:24:53". */
static void
add_wait(struct text *text, const char *before, const struct hint *hint)
{
	text_join(text, before, DURATION(hint->wait_ns),
	    hint->until[0] != '\0' ? ", until " : "", hint->until);
}

static void
add_asked_too_long(struct text *text, const struct outcome *outcome,
    const struct limits *limits, enum result result)
{
	add_wait(text, "server asked to wait ", &outcome->evidence.hint);
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
		add_streak(text, state, limits);
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
	char words[REASON_SIZE];
	struct text reason = text_in(words, sizeof words);

	if (state->verdict == VERDICT_SUCCESS) {
		repeats->count = 0;
		return 0;
	}
	reason_text(&reason, &state->outcome);
	if (strcmp(words, repeats->reason) != 0)
		repeats->count = 0;
	memcpy(repeats->reason, words, sizeof words);
	return ++repeats->count;
}

bool
repeats_are_told(int64_t count)
{
	return count < 10 || count % 10 == 0;
}

void
message_attempt(struct text *text, const struct loop_state *state,
    const struct limits *limits, int64_t repeats, int64_t pause_ns)
{
	const struct outcome *outcome = &state->outcome;
	bool is_polling = outcome->rule == RULE_NO_MATCH;

	if (pause_ns == PAUSE_NONE)
		return;
	if (state->probe.number > 0)
		text_join(text, "probe ", NUMBER(state->probe.number),
		    " at gate ", state->probe.gate);
	else
		add_attempt(text, state, limits);
	if (state->verdict == VERDICT_SUCCESS) {
		text_byte(text, ' ');
		add_streak(text, state, limits);
	} else {
		if (state->verdict == VERDICT_THROTTLE)
			text_add(text, " throttled: ");
		else
			text_join(text,
			    is_polling ? " not done after " : " failed after ",
			    DURATION(outcome->ended_ns - outcome->started_ns),
			    ": ");
		if (is_polling)
			text_add(text, "no line matches --success-if");
		else if (repeats > 1)
			text_add(text, "(same as before)");
		else
			reason_text(text, outcome);
	}
	if (state->probe.number > 0 && !state->probe.is_counted)
		text_add(text, " (not counted)");
	if (pause_ns == PAUSE_AT_DOOR) {
		if (state->probe.number == 0)
			text_add(text, "; queued at the gate");
	} else {
		text_join(text, "; next in ", DURATION(pause_ns));
	}
	if (outcome->evidence.hint.has_wait) {
		add_wait(text, " (server asked for ", &outcome->evidence.hint);
		text_byte(text, ')');
	}
}

static void
add_after_attempts(
    struct text *text, const char *what, const struct loop_state *state)
{
	text_join(text, what, NUMBER(state->attempt),
	    state->attempt == 1 ? " attempt in " : " attempts in ",
	    DURATION(state->elapsed_ns));
}

/* A user with the rights of the process can end it. */
static void
add_way_out(struct text *text, const struct unended *unended)
{
	if (unended->pid != 0)
		text_add(
		    text, "; run it as: sudo backoff ... (or sudo timeout)");
}

static void
add_interrupted(struct text *text, const struct loop_state *state,
    const struct ending *ending)
{
	text_add(text, "interrupted by ");
	signal_text(text, ending->interrupted_by);
	add_after_attempts(text, " after ", state);
	add_unended(text, ": ", &state->outcome.unended);
	add_way_out(text, &state->outcome.unended);
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

static void
add_deadline(struct text *text, const struct loop_state *state,
    const struct ending *ending)
{
	if (ending->waiting != NULL)
		text_join(text, "deadline reached in ",
		    DURATION(state->elapsed_ns), ", waiting for ",
		    ending->waiting);
	else if (ending->no_time)
		text_join(text, "no time for another attempt after ",
		    NUMBER(state->attempt), " in ",
		    DURATION(state->elapsed_ns));
	else
		add_after_attempts(text, "deadline reached after ", state);
}

void
message_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name)
{
	char words[REASON_SIZE];
	struct text reason = text_in(words, sizeof words);

	if (ending->closing != NULL) {
		text_add(text, ending->closing);
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
		add_interrupted(text, state, ending);
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
		add_deadline(text, state, ending);
		break;
	}
	if (reason_of_end(&reason, state, limits, ending, name, NULL))
		text_join(text, ": ", words);
	if (!ending->vetoed)
		add_unended(text, "; ", &ending->hook.unended);
	add_way_out(text, &state->outcome.unended);
	add_way_out(text, &ending->hook.unended);
}

static bool
misses_wait(const struct loop_state *state, const char *headers)
{
	const struct evidence *evidence = &state->outcome.evidence;

	return !evidence->hint.has_wait
	    && evidence->hint.stated == STATED_MISSING
	    && (state->verdict == VERDICT_THROTTLE || evidence->tool.states_wait
	        || (headers != NULL && state->verdict == VERDICT_RETRY
	            && state->outcome.kind == OUTCOME_EXITED));
}

/* Adds what was expected of the output or a hint in vain. */
static const char *
add_unheard(struct text *reason, enum mishap mishap,
    const struct loop_state *state, const char *headers)
{
	const struct hint *hint = &state->outcome.evidence.hint;
	const char *silent = state->outcome.evidence.tool.silent;
	const struct http_client *client = http_client(silent);

	if (mishap == MISHAP_MISSED_WAIT && misses_wait(state, headers)) {
		text_add(reason,
		    headers != NULL ? headers
		                    : "no stated wait in the output; the "
		                      "command has to print it");
		return "--retry-after";
	}
	if (mishap == MISHAP_SILENT && silent != NULL
	    && state->outcome.rule == RULE_TOOL) {
		text_join(reason, silent, " printed nothing to judge by",
		    client != NULL ? client->shows_errors : "");
		return "--tool";
	}
	if (mishap == MISHAP_UNREAD_WAIT && hint->unread != NULL) {
		text_join(reason,
		    strncmp(hint->unread, "verdict=", 8) == 0 ? "no verdict"
		                                              : "no time",
		    " can be read in \"");
		text_printable(reason, hint->unread);
		text_byte(reason, '"');
		return hint->unread_in_file ? "BACKOFF_HINT" : "--retry-after";
	}
	return NULL;
}

const char *
message_mishap(struct text *line, struct text *reason, enum mishap mishap,
    const struct loop_state *state, const char *headers)
{
	const struct evidence *evidence = &state->outcome.evidence;
	bool has_failed = state->verdict != VERDICT_SUCCESS
	    && state->verdict != VERDICT_PASS;
	const char *what = NULL;

	if (mishap == MISHAP_UNSTOPPED && evidence->tool.would_stop
	    && state->outcome.rule == RULE_DEFAULT) {
		what = "--tool";
		text_add(line, " (--tool would stop here)");
	} else if (mishap == MISHAP_ZERO_UNCOUNTED
	    && state->outcome.rule == RULE_NO_MATCH) {
		what = "--success-if";
		text_add(line, " (--success-on=0 lets exit 0 count as well)");
	} else if (mishap == MISHAP_STRAY_OUTPUT && has_failed
	    && evidence->stray_bytes > 0) {
		what = "stdout";
		text_join(reason, "its ", NUMBER(evidence->stray_bytes),
		    " bytes stay in stdout's file; -o keeps only what "
		    "succeeds");
		text_join(line, " (", reason->data, ")");
	} else if (mishap == MISHAP_FULL_HOLD && !has_failed
	    && evidence->full != NULL) {
		what = "output";
		text_join(reason, "it is held in ", evidence->full,
		    ", which is full");
		text_join(line, "output may be cut short: ", reason->data);
	} else if (mishap == MISHAP_NO_HINT_FILE && has_failed
	    && evidence->hint.nowhere != NULL) {
		what = "BACKOFF_HINT";
		text_printable(reason, evidence->hint.nowhere);
		text_join(line, "cannot make ", what, " in ", reason->data);
	} else if ((what = add_unheard(reason, mishap, state, headers))
	    != NULL) {
		text_join(line, what, ": ", reason->data);
	}
	return what;
}

static bool
add_forwarded(struct text *text, const struct outcome *outcome)
{
	bool any = false;

	text_add(text, "passed on");
	for (int signal = 1; signal <= SIGNAL_SET_MOST; signal++)
		if (signal_set_has(&outcome->forwarded, signal)) {
			text_byte(text, ' ');
			signal_text(text, signal);
			any = true;
		}
	return any;
}

static bool
add_killed(struct text *text, const struct outcome *outcome)
{
	const struct killed *killed = &outcome->killed;

	text_join(text,
	    outcome->kind == OUTCOME_TIMED_OUT ? "--kill-after" : "--grace",
	    " had to kill ");
	if (killed->name[0] == '\0') {
		text_join(text, "process ", NUMBER(killed->pid));
	} else {
		text_printable(text, killed->name);
		text_join(text, " (", NUMBER(killed->pid), ")");
	}
	if (killed->count > 1)
		text_join(text, " and ", NUMBER(killed->count - 1), " more");
	return killed->count > 0;
}

static bool
add_signal_as_status(
    struct text *text, const struct codes *codes, const struct outcome *outcome)
{
	int signal = outcome->signal;
	int number = signal;

	if (outcome->kind != OUTCOME_KILLED || signal >= SIGNALS
	    || codes->killed[signal] != VERDICT_NONE)
		return false;
	if (codes->exact[number] == VERDICT_NONE)
		number += STATUS_SIGNAL;
	if (codes->exact[number] == VERDICT_NONE)
		return false;
	text_join(text, NUMBER(number), " in --",
	    verdict_name(codes->exact[number]),
	    "-on is an exit status; the signal is ");
	signal_text(text, signal);
	return true;
}

bool
message_note(struct text *text, enum note note, const struct outcome *outcome,
    const struct codes *codes)
{
	switch (note) {
	case NOTE_FORWARDED:
		return add_forwarded(text, outcome);
	case NOTE_KILLED:
		return add_killed(text, outcome);
	case NOTE_UNSEEN_TREE:
		text_add(text,
		    "signalled only the command and, if it leads one, its "
		    "process group: other processes cannot be seen (no /proc, "
		    "one of another PID namespace, no descriptors left to read "
		    "it, or not used by this build)");
		return outcome->tree_unseen;
	case NOTE_UNREADABLE_HINT:
		text_add(text,
		    "a line of BACKOFF_HINT is neither after=WHEN nor "
		    "verdict=stop|retry|throttle|success|pass");
		return outcome->evidence.hint.unreadable > 0;
	case NOTE_SIGNAL_AS_STATUS:
		return add_signal_as_status(text, codes, outcome);
	case NOTES:
		break;
	}
	return false;
}

/* Writes the bytes in ESCAPED as %25 and the like. */
static void
add_escaped(struct text *text, const char *string, const char *escaped)
{
	static const char hex[] = "0123456789ABCDEF";

	for (; *string != '\0'; string++) {
		unsigned char byte = (unsigned char)*string;

		if (strchr(escaped, *string) == NULL) {
			text_byte(text, *string);
			continue;
		}
		text_byte(text, '%');
		text_byte(text, hex[byte >> 4]);
		text_byte(text, hex[byte & 15]);
	}
}

void
annotation_text(
    struct text *text, const char *kind, const char *name, const char *message)
{
	char title[2 * TEXT_BOUND];
	struct text words = text_in(title, sizeof title);
	size_t start;

	text_add(&words, "backoff: ");
	text_bounded(&words, name);
	text_join(text, "::", kind, " title=");
	start = text->length;
	add_escaped(text, title, "%\r\n:,");
	text_add(text, "::");
	add_escaped(text, message, "%\r\n");
	annotation_defuse(text->data + start);
}

void
annotation_defuse(char *line)
{
	while ((line = strstr(line, "##[")) != NULL)
		line[1] = '?';
}
