/* SPDX-License-Identifier: MIT */
/*
 * What is said of a gate.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static const struct gate shut
    = { .state = GATE_SHUT, .reason = "exit 7 (could not connect)" };
static const struct gate unknown = { .state = GATE_SHUT };
static const struct gate paced = { .state = GATE_PACED,
	.pace = { .rate = 17.96, .limit = 20.4, .refused_ns = 1 } };

static const struct gate_event usual = {
	.name = "hub",
	.gate = &shut,
	.failures = 3,
	.probes = 14,
	.shut_ns = 123 * NS_PER_S,
	.waited_ns = NS_PER_S / 2,
	.next_ns = 2 * NS_PER_S,
};

static void
says(struct gate_event *event, enum gate_log kind, const char *words)
{
	event->kind = kind;
	gate_message(fresh(), event);
	is_string(buffer, words, words);
}

TEST(words)
{
	struct gate_event event = usual;

	says(&event, GATE_LOG_SHUT,
	    "gate hub shut: exit 7 (could not connect), 3 failures in a row");
	says(&event, GATE_LOG_WAIT,
	    "waiting at gate hub, shut for 2m3s: exit 7 (could not connect)");
	says(&event, GATE_LOG_PROBE, "probing at gate hub");
	says(&event, GATE_LOG_BACK, "gate hub open after 2m3s, 14 probes");
	says(&event, GATE_LOG_OPEN, "gate hub fully open");
	says(&event, GATE_LOG_LOST,
	    "another run took over the probe at gate hub");
	event.probes = event.failures = 1;
	event.gate = &unknown;
	says(&event, GATE_LOG_BACK, "gate hub open after 2m3s, 1 probe");
	says(&event, GATE_LOG_SHUT, "gate hub shut, 1 failure in a row");
	event.until = "14:02:10";
	event.asked_ns = NS_PER_MIN;
	says(&event, GATE_LOG_SHUT,
	    "gate hub shut until 14:02:10 (server asked for 1m)");
}

TEST(pace)
{
	struct gate gate = paced;
	struct gate_event event = usual;

	event.gate = &gate;
	says(&event, GATE_LOG_PACED,
	    "gate hub paced: 18/s (told to slow down at 20/s)");
	says(&event, GATE_LOG_WAIT,
	    "waiting at gate hub, paced: 18/s (told to slow down at 20/s)");
	gate.pace.limit = 0;
	gate.pace.rate = 2;
	says(&event, GATE_LOG_PACED, "gate hub paced: 2/s (told to slow down)");
	gate.pace.refused_ns = 0;
	gate.pace.rate = 0.44;
	says(&event, GATE_LOG_WAIT, "waiting at gate hub, paced: 0.4/s");
	gate.pace.limit = 7;
	says(&event, GATE_LOG_WAIT,
	    "waiting at gate hub, paced: 0.4/s (limit 7/s)");
}

static void
has(struct gate_event *event, enum gate_log kind, const char *wanted)
{
	event->kind = kind;
	json_gate(fresh(), event);
	is_string(buffer, wanted, "the members of an event");
}

TEST(members)
{
	struct gate_event event = usual;

	has(&event, GATE_LOG_WAIT,
	    ",\"gate\":\"hub\",\"state\":\"wait\",\"rate\":null,\"limit\":null,"
	    "\"reason\":\"exit 7 (could not connect)\","
	    "\"waited_s\":0.500000000,\"next_s\":2.000000000");
	event.gate = &paced;
	event.next_ns = -1;
	has(&event, GATE_LOG_BACK,
	    ",\"gate\":\"hub\",\"state\":\"paced\",\"rate\":17.960,"
	    "\"limit\":20.400,\"reason\":null,\"waited_s\":0.500000000,"
	    "\"next_s\":null");
}
