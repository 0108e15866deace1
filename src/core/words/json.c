/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <time.h>

#include "core/base/duration.h"
#include "core/words/json.h"
#include "core/words/reason.h"

static void
add_escaped(struct text *text, unsigned char byte)
{
	if (byte == '"' || byte == '\\') {
		text_byte(text, '\\');
		text_byte(text, (char)byte);
	} else if (byte >= 0x20) {
		text_byte(text, (char)byte);
	} else {
		text_add(text, "\\u00");
		text_hex(text, byte);
	}
}

void
json_string(struct text *text, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;

	text_byte(text, '"');
	while (*at != '\0') {
		size_t length = utf8_length((const char *)at);

		if (length == 0) {
			text_add(text, "\\ufffd");
			at++;
		} else if (length == 1) {
			add_escaped(text, *at++);
		} else {
			for (; length > 0; length--)
				text_byte(text, (char)*at++);
		}
	}
	text_byte(text, '"');
}

/* {"time":"2026-11-21T11:40:00.123Z","event":"EVENT","id":"...","name":"..." */
static void
begin(struct text *text, int64_t epoch_ns, const char *event, const char *id,
    const char *name)
{
	time_t seconds = (time_t)(epoch_ns / NS_PER_S);
	struct tm tm = { 0 };

	gmtime_r(&seconds, &tm);
	text_add(text, "{\"time\":\"");
	text_date(text, &tm);
	text_byte(text, 'T');
	text_clock(text, &tm);
	text_byte(text, '.');
	text_digits(text, epoch_ns % NS_PER_S / NS_PER_MS, 3);
	text_add(text, "Z\",\"event\":\"");
	text_add(text, event);
	text_add(text, "\",\"id\":");
	json_string(text, id);
	text_add(text, ",\"name\":");
	json_string(text, name);
}

static void
add_key(struct text *text, const char *key)
{
	text_add(text, ",\"");
	text_add(text, key);
	text_add(text, "\":");
}

static void
add_word(struct text *text, const char *key, const char *word)
{
	add_key(text, key);
	text_byte(text, '"');
	text_add(text, word);
	text_byte(text, '"');
}

void
json_member_seconds(struct text *text, const char *key, int64_t ns)
{
	add_key(text, key);
	duration_seconds(text, ns);
}

/* Below 0: null. */
static void
add_seconds_or_null(struct text *text, const char *key, int64_t ns)
{
	add_key(text, key);
	if (ns < 0)
		text_add(text, "null");
	else
		duration_seconds(text, ns);
}

void
json_member_string(struct text *text, const char *key, const char *string)
{
	add_key(text, key);
	json_string(text, string);
}

void
json_member_number(struct text *text, const char *key, int64_t number)
{
	add_key(text, key);
	text_number(text, number);
}

void
json_event(struct text *text, int64_t epoch_ns, const char *event,
    const char *id, const char *name, const char *members)
{
	begin(text, epoch_ns, event, id, name);
	text_add(text, members);
	text_byte(text, '}');
}

void
json_start(struct text *text, int64_t epoch_ns, const char *id,
    const char *name, const char *command, const struct limits *limits)
{
	begin(text, epoch_ns, "start", id, name);
	add_key(text, "command");
	json_string(text, command);
	add_key(text, "attempts");
	if (limits->attempts == INT64_MAX)
		text_add(text, "null");
	else
		text_number(text, limits->attempts);
	text_byte(text, '}');
}

/* A line of COMMAND's output, as the text log would quote it, or NULL. */
static void
add_line(struct text *text, const char *line)
{
	char words[REASON_SIZE];
	struct text quote = text_in(words, sizeof words);

	add_key(text, "line");
	if (line == NULL) {
		text_add(text, "null");
		return;
	}
	text_bounded(&quote, line);
	json_string(text, words);
}

static const char *
outcome_name(enum outcome_kind kind)
{
	static const char names[][12]
	    = { "exited", "killed", "timed-out", "not-started" };

	return names[kind];
}

void
json_attempt(struct text *text, int64_t epoch_ns, const char *id,
    const char *name, const struct loop_state *state, int64_t pause_ns)
{
	const struct outcome *outcome = &state->outcome;
	char words[REASON_SIZE];
	struct text reason = text_in(words, sizeof words);

	begin(text, epoch_ns, "attempt", id, name);
	add_key(text, "attempt");
	text_number(text, state->attempt);
	add_word(text, "outcome", outcome_name(outcome->kind));
	add_key(text, "status");
	if (outcome->status < 0)
		text_add(text, "null");
	else
		text_number(text, outcome->status);
	add_key(text, "signal");
	if (outcome->signal == 0) {
		text_add(text, "null");
	} else {
		text_byte(text, '"');
		signal_text(text, outcome->signal);
		text_byte(text, '"');
	}
	add_word(text, "verdict", verdict_name(state->verdict));
	reason_without_line(&reason, outcome);
	add_key(text, "reason");
	json_string(text, words);
	add_line(text, reason_line(outcome));
	json_member_seconds(
	    text, "duration_s", outcome->ended_ns - outcome->started_ns);
	add_seconds_or_null(text, "hint_s",
	    outcome->evidence.hint.has_wait ? outcome->evidence.hint.wait_ns
	                                    : -1);
	add_seconds_or_null(text, "pause_s", pause_ns);
	text_byte(text, '}');
}

void
json_end(struct text *text, int64_t epoch_ns, const char *id, const char *name,
    const struct loop_state *state, const struct ending *ending,
    const char *reason, const char *line)
{
	begin(text, epoch_ns, "end", id, name);
	add_word(text, "result", result_name(ending->result));
	add_key(text, "attempts");
	text_number(text, state->attempt);
	add_key(text, "status");
	text_number(text, ending->status);
	add_key(text, "reason");
	if (reason == NULL)
		text_add(text, "null");
	else
		json_string(text, reason);
	add_line(text, line);
	json_member_seconds(text, "elapsed_s", state->elapsed_ns);
	text_byte(text, '}');
}
