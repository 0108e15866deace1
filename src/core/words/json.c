/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <time.h>

#include "core/base/base.h"
#include "core/words/words.h"

static void
add_string(struct text *text, const char *string)
{
	size_t cut, length;

	text_byte(text, '"');
	cut = text->length;
	for (; *string != '\0'; string += length > 0 ? length : 1) {
		length = utf8_length(string);
		if (text->length + sizeof "...\"" <= text->size)
			cut = text->length;
		if (length == 0) {
			text_add(text, "\\ufffd");
		} else if (length == 1 && *string < ' ') {
			text_add(text, "\\u00");
			text_hex(text, (uint8_t)*string);
		} else {
			if (*string == '"' || *string == '\\')
				text_byte(text, '\\');
			text_part(text, string, length);
		}
	}
	if (text->length + sizeof "\"" > text->size) {
		text->length = cut;
		text_add(text, "...");
	}
	text_byte(text, '"');
}

void
json_member(struct text *text, const char *key, const char *value)
{
	text_join(text, ",\"", key, "\":", value != NULL ? value : "null");
}

void
json_member_string(struct text *text, const char *key, const char *string)
{
	json_member(text, key, string != NULL ? "" : NULL);
	if (string != NULL)
		add_string(text, string);
}

void
json_member_number(struct text *text, const char *key, int64_t number)
{
	json_member(text, key, number >= 0 ? NUMBER(number) : NULL);
}

void
json_member_seconds(struct text *text, const char *key, int64_t ns)
{
	json_member(text, key, ns >= 0 ? "" : NULL);
	if (ns >= 0)
		duration_seconds(text, ns);
}

void
json_begin(struct text *text, int64_t epoch_ns, const char *event,
    const char *id, const char *name)
{
	time_t seconds = (time_t)(epoch_ns / NS_PER_S);
	struct tm tm = { 0 };

	gmtime_r(&seconds, &tm);
	text_add(text, "{\"time\":\"");
	text_moment(text, &tm, 'T');
	text_byte(text, '.');
	text_digits(text, epoch_ns % NS_PER_S / NS_PER_MS, 3);
	text_join(text, "Z\",\"event\":\"", event, "\"");
	json_member_string(text, "id", id);
	json_member_string(text, "name", name);
}

/* A line of COMMAND's output, as the text log would quote it, or NULL. */
static void
add_line(struct text *text, const char *line)
{
	struct text quote = TEXT_OF(TEXT_BOUND + 1);

	text_bounded(&quote, "", line != NULL ? line : "", "");
	json_member_string(text, "line", line != NULL ? quote.data : NULL);
}

void
json_attempt(
    struct text *text, const struct loop_state *state, int64_t pause_ns)
{
	static const char kinds[][12]
	    = { "exited", "killed", "timed-out", "not-started" };
	const struct outcome *outcome = &state->outcome;
	const struct hint *hint = &outcome->evidence.hint;
	struct text reason = TEXT_OF(REASON_SIZE);

	json_member_number(text, "attempt", state->attempt);
	json_member_string(text, "outcome", kinds[outcome->kind]);
	json_member_number(text, "status", outcome->status);
	json_member_string(text, "signal",
	    outcome->signal == 0 ? NULL : SIGNAL(outcome->signal));
	json_member_string(text, "verdict", verdict_name(state->verdict));
	reason_text(&reason, outcome, NULL);
	json_member_string(text, "reason", reason.data);
	add_line(text, reason_line(outcome));
	json_member_seconds(
	    text, "duration_s", outcome->ended_ns - outcome->started_ns);
	json_member_seconds(
	    text, "hint_s", hint->has_wait ? hint->wait_ns : -1);
	json_member_seconds(
	    text, "pause_s", pause_ns == PAUSE_AT_GATE ? 0 : pause_ns);
}

void
json_end(struct text *text, const struct loop_state *state,
    const struct limits *limits, const struct ending *ending, const char *name)
{
	struct text reason = TEXT_OF(REASON_SIZE);
	const char *line;

	reason_of_end(&reason, state, limits, ending, name, &line);
	json_member_string(text, "result", result_name(ending->result));
	json_member_number(text, "attempts", state->attempt);
	json_member_number(text, "status", ending->status);
	json_member_string(
	    text, "reason", reason.length > 0 ? reason.data : NULL);
	add_line(text, line);
	json_member_seconds(text, "elapsed_s", state->elapsed_ns);
}

static void
add_rate_member(struct text *text, const char *name, double rate)
{
	int64_t thousandths = (int64_t)(rate * 1000 + 0.5);

	json_member(text, name, thousandths > 0 ? "" : NULL);
	if (thousandths > 0) {
		text_join(text, NUMBER(thousandths / 1000), ".");
		text_digits(text, thousandths % 1000, 3);
	}
}

void
json_gate(struct text *text, const struct gate_event *event)
{
	static const char names[][8]
	    = { "shut", "wait", "probe", "paced", "paced", "open", "lost" };
	bool is_paced = event->gate->state == GATE_PACED;
	const char *reason = event->gate->reason;

	json_member_string(text, "gate", event->name);
	json_member_string(text, "state", names[event->kind]);
	add_rate_member(text, "rate", is_paced ? event->gate->pace.rate : 0);
	add_rate_member(text, "limit", is_paced ? event->gate->pace.limit : 0);
	json_member_string(text, "reason", *reason != '\0' ? reason : NULL);
	json_member_seconds(text, "waited_s", event->waited_ns);
	json_member_seconds(text, "next_s", event->next_ns);
}
