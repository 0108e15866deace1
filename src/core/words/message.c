/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/known/headers.h"
#include "core/words/message.h"

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
		reason_streak(text, state, limits);
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
		reason_asked(
		    text, " (server asked for ", &outcome->evidence.hint);
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

static void
add_interrupted(struct text *text, const struct loop_state *state,
    const struct ending *ending)
{
	text_add(text, "interrupted by ");
	signal_text(text, ending->interrupted_by);
	add_after_attempts(text, " after ", state);
}

/* Who has its rights may end it. */
static void
add_way_out(struct text *text, const struct unended *unended)
{
	if (unended->pid != 0)
		text_add(
		    text, "; run it as: sudo backoff ... (or sudo timeout)");
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
		text_add(text,
		    ending->result == RESULT_PASS ? "passed at "
		                                  : "succeeded at ");
		add_attempt(text, state, limits);
		text_join(text, " in ", DURATION(state->elapsed_ns));
		if (ending->result == RESULT_PASS) {
			text_add(text, " (");
			reason_outcome(text, &state->outcome);
			text_byte(text, ')');
		} else if (ending->status != 0) {
			text_join(text, ": exit ", NUMBER(ending->status),
			    " (--flaky-status)");
		}
		return;
	case RESULT_INTERRUPTED:
		add_interrupted(text, state, ending);
		reason_unended(text, ": ", &state->outcome.unended);
		add_way_out(text, &state->outcome.unended);
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
		if (ending->waiting != NULL)
			text_join(text, "deadline reached in ",
			    DURATION(state->elapsed_ns), ", waiting for ",
			    ending->waiting);
		else if (ending->no_time)
			text_join(text, "no time for another attempt after ",
			    NUMBER(state->attempt), " in ",
			    DURATION(state->elapsed_ns));
		else
			add_after_attempts(
			    text, "deadline reached after ", state);
		break;
	}
	if (reason_of_end(&reason, state, limits, ending, name, NULL))
		text_join(text, ": ", words);
	if (!ending->vetoed)
		reason_unended(text, "; ", &ending->hook.unended);
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

const char *
message_mishap(struct text *line, struct text *reason, enum mishap mishap,
    const struct loop_state *state, const char *headers)
{
	const struct evidence *evidence = &state->outcome.evidence;
	const struct hint *hint = &evidence->hint;
	const char *silent = evidence->tool.silent;
	const struct http_client *client = http_client(silent);
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
	} else if (mishap == MISHAP_MISSED_WAIT
	    && misses_wait(state, headers)) {
		what = "--retry-after";
		text_add(reason,
		    headers != NULL ? headers
		                    : "no stated wait in the output; the "
		                      "command has to print it");
		text_join(line, what, ": ", reason->data);
	} else if (mishap == MISHAP_SILENT && silent != NULL
	    && state->outcome.rule == RULE_TOOL) {
		what = "--tool";
		text_join(reason, silent, " printed nothing to judge by",
		    client != NULL ? client->shows_errors : "");
		text_join(line, what, ": ", reason->data);
	} else if (mishap == MISHAP_FULL_HOLD && !has_failed
	    && evidence->full != NULL) {
		what = "output";
		text_join(reason, "it is held in ", evidence->full,
		    ", which is full");
		text_join(line, "output may be cut short: ", reason->data);
	} else if (mishap == MISHAP_UNREAD_WAIT && hint->unread != NULL) {
		what = hint->unread_in_file ? "BACKOFF_HINT" : "--retry-after";
		text_join(reason,
		    strncmp(hint->unread, "verdict=", 8) == 0 ? "no verdict"
		                                              : "no time",
		    " can be read in \"");
		text_printable(reason, hint->unread);
		text_byte(reason, '"');
		text_join(line, what, ": ", reason->data);
	} else if (mishap == MISHAP_NO_HINT_FILE && has_failed
	    && hint->nowhere != NULL) {
		what = "BACKOFF_HINT";
		text_printable(reason, hint->nowhere);
		text_join(line, "cannot make ", what, " in ", reason->data);
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
