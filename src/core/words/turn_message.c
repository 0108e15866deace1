/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/words/turn_message.h"
#include "core/words/json.h"

static void
add_reason(struct text *text, const char *reason)
{
	if (*reason != '\0')
		text_join(text, ": ", reason);
}

static void
add_count(struct text *text, int64_t count, const char *what)
{
	text_join(text, ", ", NUMBER(count), " ", what, count == 1 ? "" : "s");
}

static void
add_shut(struct text *text, const struct turn_event *event)
{
	text_add(text, " shut");
	if (event->until != NULL) {
		text_join(text, " until ", event->until, " (server asked for ",
		    DURATION(event->asked_ns), ")");
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
	text_add(text, "ramp ");
	text_tenths(text, ((int64_t)record->rate + 50) / 100);
	text_add(text, "/s");
	if (record->results > 0)
		text_join(text, ", ", NUMBER(record->failed), " of ",
		    NUMBER(record->results), " failed");
}

static struct span
add_wait(struct text *text, const struct turn_event *event)
{
	struct span time = { 0, 0 };

	text_join(text, "waiting at gate ", event->name);
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
turn_message(
    struct text *text, enum turn_news news, const struct turn_event *event)
{
	static const struct span none;

	if (news == GATE_NEWS_WAIT)
		return add_wait(text, event);
	if (news == GATE_NEWS_LOST) {
		text_join(text, "lost the turn at gate ", event->name);
		return none;
	}
	text_join(text, news == GATE_NEWS_PROBE ? "probing at " : "", "gate ",
	    event->name);
	switch (news) {
	case GATE_NEWS_SHUT:
		add_shut(text, event);
		break;
	case GATE_NEWS_RAMP:
		text_join(text, " open after ", DURATION(event->shut_ns));
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

static void
add_ramp_members(struct text *text, const struct gate_record *record)
{
	if (record == NULL) {
		text_add(
		    text, ",\"rate\":null,\"results\":null,\"failed\":null");
		return;
	}
	text_join(text, ",\"rate\":", NUMBER(record->rate / 1000), ".");
	text_digits(text, record->rate % 1000, 3);
	json_member_number(text, "results", record->results);
	json_member_number(text, "failed", record->failed);
}

void
turn_members(
    struct text *text, enum turn_news news, const struct turn_event *event)
{
	static const char names[][8]
	    = { "shut", "wait", "probe", "ramp", "open", "lost" };

	json_member_string(text, "gate", event->name);
	json_member_string(text, "state", names[news]);
	json_member_string(
	    text, "reason", *event->reason != '\0' ? event->reason : NULL);
	json_member_seconds(text, "waited_s", event->waited_ns);
	json_member_seconds(text, "next_s", event->next_ns);
	add_ramp_members(text, event->ramp);
}

void
turn_closing(
    struct text *text, const char *name, int64_t waited_ns, const char *reason)
{
	text_join(
	    text, "gave up at gate ", name, " after ", DURATION(waited_ns));
	add_reason(text, reason);
}
