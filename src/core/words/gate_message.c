/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/words/gate_message.h"
#include "core/words/json.h"

static void
add_reason(struct text *text, const char *reason)
{
	if (*reason == '\0')
		return;
	text_add(text, ": ");
	text_add(text, reason);
}

static void
add_count(struct text *text, int64_t count, const char *what)
{
	text_add(text, ", ");
	text_number(text, count);
	text_byte(text, ' ');
	text_add(text, what);
	if (count != 1)
		text_byte(text, 's');
}

static void
add_shut(struct text *text, const struct gate_event *event)
{
	text_add(text, " shut");
	if (event->until != NULL) {
		text_add(text, " until ");
		text_add(text, event->until);
		text_add(text, " (server asked for ");
		duration_text(text, event->asked_ns);
		text_byte(text, ')');
		return;
	}
	add_reason(text, event->reason);
	add_count(text, event->failures, "failure");
	text_add(text, " in a row");
}

/* Rates that are no whole numbers are those after a cut. */
void
gate_ramp_text(struct text *text, const struct gate_record *record)
{
	int64_t tenths = ((int64_t)record->rate + 50) / 100;

	text_add(text, "ramp ");
	text_number(text, tenths / 10);
	if (tenths % 10 != 0) {
		text_byte(text, '.');
		text_number(text, tenths % 10);
	}
	text_add(text, "/s");
	if (record->results == 0)
		return;
	text_add(text, ", ");
	text_number(text, record->failed);
	text_add(text, " of ");
	text_number(text, record->results);
	text_add(text, " failed");
}

static struct span
add_wait(struct text *text, const struct gate_event *event)
{
	struct span time = { 0, 0 };

	text_add(text, "waiting at gate ");
	text_add(text, event->name);
	if (event->ramp != NULL) {
		text_add(text, ", which opens gradually: ");
		gate_ramp_text(text, event->ramp);
		return time;
	}
	text_add(text, ", shut for ");
	time.start = text->length;
	duration_text(text, event->shut_ns);
	time.end = text->length;
	add_reason(text, event->reason);
	return time;
}

struct span
gate_message(
    struct text *text, enum gate_news news, const struct gate_event *event)
{
	static const struct span none;

	if (news == GATE_NEWS_WAIT)
		return add_wait(text, event);
	if (news == GATE_NEWS_LOST) {
		text_add(text, "lost the turn at gate ");
		text_add(text, event->name);
		return none;
	}
	if (news == GATE_NEWS_PROBE)
		text_add(text, "probing at ");
	text_add(text, "gate ");
	text_add(text, event->name);
	switch (news) {
	case GATE_NEWS_SHUT:
		add_shut(text, event);
		break;
	case GATE_NEWS_RAMP:
		text_add(text, " open after ");
		duration_text(text, event->shut_ns);
		add_count(text, event->probes, "probe");
		break;
	case GATE_NEWS_OPEN:
		text_add(text, " open, no longer paced");
		break;
	case GATE_NEWS_PROBE:
	case GATE_NEWS_WAIT:
	case GATE_NEWS_LOST:
		break;
	}
	return none;
}

static const char *
news_name(enum gate_news news)
{
	static const char names[][8]
	    = { "shut", "wait", "probe", "ramp", "open", "lost" };

	return names[news];
}

static void
add_ramp_members(struct text *text, const struct gate_record *record)
{
	if (record == NULL) {
		text_add(
		    text, ",\"rate\":null,\"results\":null,\"failed\":null");
		return;
	}
	text_add(text, ",\"rate\":");
	text_number(text, record->rate / 1000);
	text_byte(text, '.');
	text_digits(text, record->rate % 1000, 3);
	json_member_number(text, "results", record->results);
	json_member_number(text, "failed", record->failed);
}

void
gate_members(
    struct text *text, enum gate_news news, const struct gate_event *event)
{
	json_member_string(text, "gate", event->name);
	json_member_string(text, "state", news_name(news));
	if (*event->reason != '\0')
		json_member_string(text, "reason", event->reason);
	else
		text_add(text, ",\"reason\":null");
	json_member_seconds(text, "waited_s", event->waited_ns);
	if (event->next_ns >= 0)
		json_member_seconds(text, "next_s", event->next_ns);
	else
		text_add(text, ",\"next_s\":null");
	add_ramp_members(text, event->ramp);
}

void
gate_closing(
    struct text *text, const char *name, int64_t waited_ns, const char *reason)
{
	text_add(text, "gave up at gate ");
	text_add(text, name);
	text_add(text, " after ");
	duration_text(text, waited_ns);
	add_reason(text, reason);
}
