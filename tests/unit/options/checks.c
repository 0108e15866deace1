/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "options/checks.h"
#include "options/preset_apply.h"
#include "options/set.h"
#include "options/values.h"
#include "unit/tap.h"

static struct options options;
static struct given given;

/* Starts again as if no option had been given. */
static void
reset(void)
{
	value_free_delays(&options.settings.policy);
	options = (struct options) {
		.settings.policy = { .base_ns = NS_PER_S,
		    .factor = 3,
		    .jitter.kind = JITTER_FULL },
		.settings.limits = { .deadline_ns = DURATION_INF,
		    .until_ns = INT64_MAX,
		    .consecutive = 1 },
	};
	given = (struct given) { .text = { NULL } };
}

static void
give(enum option_id id, const char *text)
{
	option_set(&options, id, text);
	given.text[id] = text;
}

/* What follows of this option alone. */
static void
give_alone(enum option_id id, const char *text)
{
	reset();
	give(id, text);
	option_defaults(&options, &given);
}

/* Checks that A contradicts B. */
static void
contradict(
    enum option_id a, const char *a_text, enum option_id b, const char *b_text)
{
	struct contradiction found;

	reset();
	give(a, a_text);
	if (b_text != NULL)
		give(b, b_text);
	option_defaults(&options, &given);
	ok(option_contradiction(&options, &given, &found),
	    option_table[a].name);
	ok(found.a == a && found.b == b, option_table[b].name);
}

static void
test_defaults(void)
{
	struct contradiction found;

	reset();
	option_defaults(&options, &given);
	is_int(options.settings.limits.attempts, 8, "attempts");
	is_int(options.settings.policy.floor_ns, NS_PER_S / 10, "the floor");
	is_int(options.settings.policy.cap_ns, 30 * NS_PER_S, "the cap");
	is_int(options.settings.policy.throttle_base_ns, 5 * NS_PER_S,
	    "the base of a throttle");
	ok(!option_contradiction(&options, &given, &found), "agree");
	ok(options.streams.stdin_mode == STDIN_REPLAY, "stdin is replayed");

	give_alone(OPT_CAP, "10ms");
	is_int(options.settings.policy.floor_ns, NS_PER_MS,
	    "a cap below the base: the floor is a tenth of the cap");

	reset();
	give(OPT_BASE, "30s");
	give(OPT_CAP, "2s");
	option_defaults(&options, &given);
	is_int(options.settings.policy.floor_ns, 200 * NS_PER_MS,
	    "and leaves jitter, whatever the base");

	give_alone(OPT_CAP, "1m");
	is_int(options.settings.policy.floor_ns, NS_PER_S / 10,
	    "a cap above the base: a tenth of the base");

	give_alone(OPT_BASE, "5m");
	is_int(options.settings.policy.cap_ns, 5 * NS_PER_MIN,
	    "the cap is not below the base");

	give_alone(OPT_ATTEMPTS, "1");
	ok(options.streams.stdin_mode == STDIN_INHERIT, "but for one attempt");

	give_alone(OPT_DEADLINE, "1m");
	is_int(options.settings.limits.attempts, INT64_MAX, "by the deadline");

	give_alone(OPT_DELAYS, "1s,2s");
	is_int(options.settings.limits.attempts, 3, "by the list");

	give_alone(OPT_DELAYS, "5s");
	is_int(options.settings.limits.attempts, 8,
	    "a list of one item repeats as often as without it");
	is_int(options.settings.policy.cap_ns, DURATION_INF, "no cap");
	is_int(options.settings.policy.base_ns, 5 * NS_PER_S,
	    "and its first item is the base, of hints too");

	reset();
	give(OPT_DELAYS, "1s,2s");
	give(OPT_DEADLINE, "1m");
	option_defaults(&options, &given);
	is_int(
	    options.settings.limits.attempts, INT64_MAX, "by both: no limit");
	is_int(options.settings.policy.floor_ns, 0, "no floor");
	ok(options.settings.policy.jitter.kind == JITTER_NONE, "no jitter");

	give_alone(OPT_QUIET_SUCCESS, NULL);
	ok(options.streams.hold == HOLD_ALL && options.log.held,
	    "for cron all is held");
}

static void
test_contradictions(void)
{
	contradict(OPT_DELAYS, "1s", OPT_BASE, "1s");
	contradict(OPT_DELAYS, "1s", OPT_FACTOR, "2");
	contradict(OPT_DELAYS, "1s", OPT_GROWTH, "linear");
	contradict(OPT_DELAYS, "1s", OPT_JITTER, "decorrelated");
	contradict(OPT_DELAYS, "1s", OPT_JITTER, "smooth");
	contradict(OPT_FLOOR, "2s", OPT_CAP, "1s");
	contradict(OPT_FLOOR, "31s", OPT_CAP, NULL);
	contradict(OPT_SLOT_TIME, "2s", OPT_CAP, "1s");
	contradict(OPT_CONSECUTIVE, "4", OPT_ATTEMPTS, "3");
	contradict(OPT_CONSECUTIVE, "9", OPT_ATTEMPTS, NULL);
}

static void
test_preset(void)
{
	char room[256];
	struct text words = text_in(room, sizeof room);

	/* The user's own options come first, and what they contradict goes. */
	reset();
	give(OPT_PRESET, "tcp");
	give(OPT_BASE, "3s");
	preset_apply(&options, &given, &words);
	is_int(options.settings.policy.base_ns, 3 * NS_PER_S, "the user's");
	ok(options.settings.policy.factor == 2, "the preset's");
	ok(options.settings.limits.from_start, "the preset's last but one");
	is_int(options.settings.limits.attempts, 16, "and its last");

	words = text_in(room, sizeof room);
	reset();
	give(OPT_PRESET, "alipay");
	give(OPT_BASE, "3s");
	preset_apply(&options, &given, &words);
	ok(given.text[OPT_DELAYS] == NULL
	        && options.settings.policy.delays_ns == NULL,
	    "a list that the base contradicts is not taken");

	words = text_in(room, sizeof room);
	reset();
	give(OPT_PRESET, "aws-decorrelated");
	give(OPT_DELAYS, "1s");
	preset_apply(&options, &given, &words);
	ok(given.text[OPT_JITTER] == NULL, "nor a jitter that a list does");
}

TESTS
{
	test_defaults();
	test_contradictions();
	test_preset();
	value_free_delays(&options.settings.policy);
}
