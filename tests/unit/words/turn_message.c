/* SPDX-License-Identifier: MIT */
/*
 * What is said of a gate.
 */
#include <config.h>

#include "core/base/duration.h"
#include "core/words/turn_message.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static const struct turn_event usual = {
	.name = "hub",
	.reason = "exit 7 (could not connect)",
	.failures = 3,
	.probes = 14,
	.shut_ns = 123 * NS_PER_S,
	.waited_ns = NS_PER_S / 2,
	.next_ns = 2 * NS_PER_S,
};

static const struct gate_record ramp
    = { .state = GATE_RAMP, .rate = 16000, .results = 14, .failed = 2 };

static void
says(enum turn_news news, const struct turn_event *event, const char *words)
{
	turn_message(fresh(), news, event);
	is_string(buffer, words, words);
}

static void
test_words(void)
{
	struct turn_event event = usual;

	says(GATE_NEWS_SHUT, &event,
	    "gate hub shut: exit 7 (could not connect), 3 failures in a row");
	says(GATE_NEWS_WAIT, &event,
	    "waiting at gate hub, shut for 2m3s: exit 7 (could not connect)");
	says(GATE_NEWS_PROBE, &event, "probing at gate hub");
	says(GATE_NEWS_RAMP, &event, "gate hub open after 2m3s, 14 probes");
	says(GATE_NEWS_OPEN, &event, "gate hub open, no longer paced");
	says(GATE_NEWS_LOST, &event, "lost the turn at gate hub");
	event.probes = event.failures = 1;
	event.reason = "";
	says(GATE_NEWS_RAMP, &event, "gate hub open after 2m3s, 1 probe");
	says(GATE_NEWS_SHUT, &event, "gate hub shut, 1 failure in a row");
	event.ramp = &ramp;
	says(GATE_NEWS_WAIT, &event,
	    "waiting at gate hub, which opens gradually: ramp 16/s, 2 of 14 "
	    "failed");
	event.until = "14:02:10";
	event.asked_ns = NS_PER_MIN;
	says(GATE_NEWS_SHUT, &event,
	    "gate hub shut until 14:02:10 (server asked for 1m)");
}

static void
ramps(uint32_t rate, uint16_t results, const char *words)
{
	const struct gate_record record = { .rate = rate, .results = results };

	gate_ramp_text(fresh(), &record);
	is_string(buffer, words, words);
}

static void
test_ramp(void)
{
	ramps(2333, 0, "ramp 2.3/s");
	ramps(18666, 0, "ramp 18.7/s");
	ramps(2949, 0, "ramp 2.9/s");
}

static void
has(enum turn_news news, const struct turn_event *event, const char *wanted)
{
	turn_members(fresh(), news, event);
	is_string(buffer, wanted, "the members of an event");
}

static void
test_members(void)
{
	struct turn_event event = usual;

	has(GATE_NEWS_WAIT, &event,
	    ",\"gate\":\"hub\",\"state\":\"wait\",\"reason\":\"exit 7 (could "
	    "not connect)\",\"waited_s\":0.500000000,\"next_s\":2.000000000,"
	    "\"rate\":null,\"results\":null,\"failed\":null");
	event.ramp = &ramp;
	has(GATE_NEWS_RAMP, &event,
	    ",\"gate\":\"hub\",\"state\":\"ramp\",\"reason\":\"exit 7 (could "
	    "not connect)\",\"waited_s\":0.500000000,\"next_s\":2.000000000,"
	    "\"rate\":16.000,\"results\":14,\"failed\":2");
	event.ramp = NULL;
	event.reason = "";
	event.next_ns = -1;
	has(GATE_NEWS_LOST, &event,
	    ",\"gate\":\"hub\",\"state\":\"lost\",\"reason\":null,"
	    "\"waited_s\":0.500000000,\"next_s\":null,\"rate\":null,"
	    "\"results\":null,\"failed\":null");
}

static void
test_closing(void)
{
	turn_closing(fresh(), "hub", 3600 * NS_PER_S, "exit 7");
	is_string(buffer, "gave up at gate hub after 1h: exit 7",
	    "the closing line tells why it was shut");
}

TESTS
{
	test_words();
	test_ramp();
	test_members();
	test_closing();
}
