/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/words/gate_message.h"
#include "core/words/json.h"

static void
add_reason(struct text *text, const struct gate *gate)
{
	text_join(text, gate->reason[0] != '\0' ? ": " : "", gate->reason);
}

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
		text_number(text, (int64_t)(rate + 0.5));
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

static void
add_shut(struct text *text, const struct gate_event *event)
{
	text_join(text, "gate ", event->name, " shut");
	if (event->until != NULL) {
		text_join(text, " until ", event->until, " (server asked for ",
		    DURATION(event->asked_ns), ")");
		return;
	}
	add_reason(text, event->gate);
	add_count(text, event->failures, "failure");
	text_add(text, " in a row");
}

void
gate_message(struct text *text, const struct gate_event *event)
{
	bool is_paced = event->gate->state == GATE_PACED;

	switch (event->kind) {
	case GATE_LOG_SHUT:
		add_shut(text, event);
		break;
	case GATE_LOG_WAIT:
		text_join(text, "waiting at gate ", event->name,
		    is_paced ? ", " : ", shut for ");
		if (is_paced) {
			add_pace(text, &event->gate->pace);
		} else {
			duration_text(text, event->shut_ns);
			add_reason(text, event->gate);
		}
		break;
	case GATE_LOG_PROBE:
		text_join(text, "probing at gate ", event->name);
		break;
	case GATE_LOG_BACK:
		text_join(text, "gate ", event->name, " open after ",
		    DURATION(event->shut_ns));
		add_count(text, event->probes, "probe");
		break;
	case GATE_LOG_PACED:
		text_join(text, "gate ", event->name, " ");
		add_pace(text, &event->gate->pace);
		break;
	case GATE_LOG_OPEN:
		text_join(text, "gate ", event->name, " fully open");
		break;
	case GATE_LOG_LOST:
		text_join(text, "another run took over the probe at gate ",
		    event->name);
		break;
	}
}

static void
add_rate_member(struct text *text, const char *name, double rate)
{
	int64_t thousandths = (int64_t)(rate * 1000 + 0.5);

	text_join(text, ",\"", name, "\":");
	if (thousandths == 0) {
		text_add(text, "null");
		return;
	}
	text_join(text, NUMBER(thousandths / 1000), ".");
	text_digits(text, thousandths % 1000, 3);
}

void
gate_members(struct text *text, const struct gate_event *event)
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
