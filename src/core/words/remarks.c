/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "core/known/known.h"
#include "core/words/words.h"

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

	if (mishap == MISHAP_MISSED_WAIT && misses_wait(state, headers)) {
		text_add(reason,
		    headers != NULL ? headers
		                    : "no stated wait in the output; the "
		                      "command has to print it");
		return "--retry-after";
	}
	if (mishap == MISHAP_SILENT && silent != NULL
	    && !verdict_is_good(state->verdict)
	    && state->outcome.rule == RULE_TOOL) {
		text_join(reason, silent, " printed nothing to judge by",
		    known_text(tool_named(silent)->silent));
		return "--tool";
	}
	if (mishap == MISHAP_UNREAD_WAIT && hint->unread != NULL) {
		text_bounded(reason,
		    strncmp(hint->unread, "verdict=", 8) == 0
		        ? "no verdict can be read in \""
		        : "no time can be read in \"",
		    hint->unread, "\"");
		return hint->unread_in_file ? "BACKOFF_HINT" : "--retry-after";
	}
	return NULL;
}

const char *
mishap_text(struct text *line, struct text *reason, enum mishap mishap,
    const struct loop_state *state, const char *headers)
{
	const struct evidence *evidence = &state->outcome.evidence;
	bool has_failed = !verdict_is_good(state->verdict);
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
	for (int signal = 1; signal < NSIG; signal++)
		if (sigismember(&outcome->forwarded, signal) == 1) {
			text_join(text, " ", SIGNAL(signal));
			any = true;
		}
	return any;
}

static bool
add_killed(struct text *text, const struct outcome *outcome)
{
	const struct census *killed = &outcome->killed;

	text_join(text,
	    outcome->kind == OUTCOME_TIMED_OUT || outcome->end_signal == 0
	        ? "--kill-after"
	        : "--grace",
	    " had to kill ");
	if (killed->met.name[0] == '\0') {
		text_join(text, "process ", NUMBER(killed->met.pid));
	} else {
		text_bounded(text, "", killed->met.name, " (");
		text_join(text, NUMBER(killed->met.pid), ")");
	}
	if (killed->reached > 1)
		text_join(text, " and ", NUMBER(killed->reached - 1), " more");
	return killed->reached > 0;
}

static bool
add_signal_as_status(
    struct text *text, const struct codes *codes, const struct outcome *outcome)
{
	int signal = outcome->signal;
	int number = signal;

	if (outcome->kind != OUTCOME_KILLED
	    || codes->killed[signal] != VERDICT_NONE)
		return false;
	if (codes->exact[number] == VERDICT_NONE)
		number += STATUS_SIGNAL;
	if (codes->exact[number] == VERDICT_NONE)
		return false;
	text_join(text, NUMBER(number), " in --",
	    verdict_name(codes->exact[number]),
	    "-on is an exit status; the signal is ", SIGNAL(signal));
	return true;
}

bool
note_text(struct text *text, enum note note, const struct outcome *outcome,
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
		return outcome->left.unseen;
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

/* --- gates --- */

static void
add_count(struct text *text, int64_t count, const char *what)
{
	text_join(text, ", ", NUMBER(count), " ", what, count == 1 ? "" : "s");
}

void
gate_rate_text(struct text *text, double rate)
{
	/* Above 10 a second the tenths are noise. */
	if (rate < 10)
		text_tenths(text, (int64_t)(rate * 10 + 0.5));
	else
		text_add(text, NUMBER((int64_t)(rate + 0.5)));
	text_add(text, "/s");
}

/* "paced: 18/s (told to slow down at 20/s)" */
static void
add_pace(struct text *text, const struct pace *pace)
{
	text_add(text, "paced: ");
	gate_rate_text(text, pace->rate);
	if (pace->refused_ns == 0 && pace->limit <= 0)
		return;
	text_add(text, pace->refused_ns > 0 ? " (told to slow down" : " (");
	if (pace->limit > 0) {
		text_add(text, pace->refused_ns > 0 ? " at " : "limit ");
		gate_rate_text(text, pace->limit);
	}
	text_byte(text, ')');
}

void
gate_message(struct text *text, const struct gate_event *event)
{
	static const char *const around_name[][2] = {
		[GATE_LOG_SHUT] = { "gate ", " shut" },
		[GATE_LOG_WAIT] = { "waiting at gate ", ", " },
		[GATE_LOG_PROBE] = { "probing at gate ", "" },
		[GATE_LOG_BACK] = { "gate ", " open after " },
		[GATE_LOG_PACED] = { "gate ", " " },
		[GATE_LOG_OPEN] = { "gate ", " fully open" },
		[GATE_LOG_LOST]
		= { "another run took over the probe at gate ", "" },
	};
	const struct gate *gate = event->gate;
	const char *colon = gate->reason[0] != '\0' ? ": " : "";

	text_join(text, around_name[event->kind][0], event->name,
	    around_name[event->kind][1]);
	if (event->kind == GATE_LOG_SHUT && event->until != NULL) {
		text_join(text, " until ", event->until, " (server asked for ",
		    DURATION(event->asked_ns), ")");
	} else if (event->kind == GATE_LOG_SHUT) {
		text_join(text, colon, gate->reason);
		add_count(text, event->failures, "failure");
		text_add(text, " in a row");
	} else if (event->kind == GATE_LOG_PACED
	    || (event->kind == GATE_LOG_WAIT && gate->state == GATE_PACED)) {
		add_pace(text, &gate->pace);
	} else if (event->kind == GATE_LOG_WAIT) {
		text_join(text, "shut for ", DURATION(event->shut_ns), colon,
		    gate->reason);
	} else if (event->kind == GATE_LOG_BACK) {
		text_add(text, DURATION(event->shut_ns));
		add_count(text, event->probes, "probe");
	}
}
