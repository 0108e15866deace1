/* SPDX-License-Identifier: MIT */
/*
 * What one run, or a few, find at a gate: its states, and what leaves them.
 * record.c has gates after looks and results in any order.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "unit/tap.h"

#define T0 (1000 * NS_PER_S)
#define MS NS_PER_MS
#define S NS_PER_S

static struct gate gate;

/* At T0 + AT_NS. */
static struct gate_answer
look(int64_t at_ns, uint64_t ticket)
{
	return gate_look(&gate, T0 + at_ns, ticket);
}

static bool
probes(int64_t at_ns, uint64_t ticket)
{
	look(at_ns, ticket);
	return gate_find_prober(&gate, ticket) >= 0;
}

/* An attempt of RUN that took 10 ms, as a probe with TICKET. */
static bool
result(int64_t at_ns, enum gate_outcome outcome, uint64_t run, uint64_t ticket,
    int64_t stated_ns)
{
	const struct gate_attempt attempt = {
		.outcome = outcome,
		.run = run,
		.ticket = ticket,
		.began_ns = T0 + at_ns - 10 * MS,
		.ended_ns = T0 + at_ns,
		.stated_ns = stated_ns,
		.pause_ns = stated_ns > 0 ? stated_ns : 5 * S,
		.reason = "exit 7",
	};

	return gate_result(&gate, T0 + at_ns, &attempt);
}

static bool
fail(int64_t at_ns, uint64_t run)
{
	return result(at_ns, GATE_FAILURE, run, 0, 0);
}

/* Shut since T0 + 2 s; a probe is due at 7 s. */
static void
shut_gate(void)
{
	gate = gate_new();
	fail(1 * S, 1);
	fail(1500 * MS, 2);
	fail(2 * S, 1);
}

/* Paced since T0 + 7.1 s, the first start half a second later. */
static void
pace_gate(void)
{
	uint64_t ticket;

	shut_gate();
	ticket = look(7 * S, 0).ticket;
	result(7100 * MS, GATE_SUCCESS, 1, ticket, 0);
}

TEST(shuts)
{
	static const struct {
		const char *what;
		int failures, runs;
		int64_t apart_ns;
		enum gate_state state;
	} rows[] = {
		{ "two failures", 2, 2, 2 * S, GATE_OPEN },
		{ "three over a second", 3, 2, S / 2, GATE_SHUT },
		{ "three within a second", 3, 2, S / 3, GATE_OPEN },
		{ "nineteen at once", 19, 19, 1, GATE_OPEN },
		{ "twenty at once", 20, 20, 1, GATE_SHUT },
		{ "a run alone", 100, 1, S, GATE_OPEN },
		{ "each five minutes after the other", 3, 2, 5 * NS_PER_MIN,
		    GATE_SHUT },
		{ "each later than that", 10, 2, 5 * NS_PER_MIN + 1,
		    GATE_OPEN },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		gate = gate_new();
		for (int n = 0; n < rows[i].failures; n++)
			fail(n * rows[i].apart_ns + S,
			    1 + (uint64_t)(n % rows[i].runs));
		is_int(gate.state, rows[i].state, rows[i].what);
	}
	shut_gate();
	is_string(gate.reason, "exit 7", "the reason is that of the last");
	is_int(gate.since_ns, T0 + 2 * S, "it is shut since then");
	gate = gate_new();
	ok(!result(S, GATE_SUCCESS, 1, 0, 0),
	    "a success at an open gate writes nothing");
	fail(2 * S, 1);
	fail(3 * S, 2);
	ok(result(3500 * MS, GATE_SUCCESS, 3, 0, 0),
	    "... but where there were failures");
	fail(4 * S, 1);
	fail(5 * S, 2);
	is_int(gate.state, GATE_OPEN, "... which it forgets");
	ok(!result(6 * S, GATE_NEUTRAL, 3, 0, 0), "a stop says nothing");
}

TEST(probes)
{
	struct gate_answer first, second, third;

	shut_gate();
	first = look(3 * S, 0);
	second = look(3 * S, 0);
	third = look(3 * S, 0);
	ok(first.until_ns > 0, "who comes has a ticket");
	is_int(look(4 * S, first.ticket).until_ns, T0 + 5 * S,
	    "the first looks each second");
	ok(gate.next == third.ticket + 1, "... with the one that it has");
	is_int(look(6500 * MS, first.ticket).until_ns, T0 + 7 * S,
	    "... and when the probe is due");
	ok(look(7 * S, third.ticket).until_ns > 0,
	    "the third gives way to those before it");
	ok(probes(7 * S, first.ticket), "the first probes");
	is_int(look(7100 * MS, second.ticket).until_ns, T0 + 7350 * MS,
	    "who waits beside a probe looks four times a second");
	ok(look(16 * S, second.ticket).until_ns > 0, "nobody else probes");
	result(16 * S, GATE_FAILURE, 1, first.ticket, 0);
	is_int(gate.due_ns, T0 + 21 * S, "the next probe is due");
	is_int(gate.probes, 1, "... after one");
	ok(look(20 * S, second.ticket).until_ns > 0, "... not before");
	ok(probes(21 * S, second.ticket), "it is the next one's");
	result(22 * S, GATE_NEUTRAL, 2, second.ticket, 0);
	ok(probes(22 * S, third.ticket), "after a stop another probes at once");
	shut_gate();
	first = look(3 * S, 0);
	second = look(3 * S, 0);
	look(7 * S, first.ticket);
	gate_forget_dead(&gate, 0);
	ok(probes(8 * S, second.ticket), "... and after one who has died");
	shut_gate();
	for (int i = 0; i < 500; i++)
		third = look(3 * S, 0);
	ok(probes(10 * S, third.ticket), "three seconds later anybody probes");
}

/* A probe may be a long job at a service that is up. */
TEST(probes_more)
{
	static const int most[] = { 1, 1, 2, 2, 4, 4, 8 };
	uint64_t tickets[20];

	shut_gate();
	gate.row.longest_ns = 10 * S; /* so that they wait for 20 s */
	for (size_t i = 0; i < ARRAY_LENGTH(tickets); i++)
		tickets[i] = look(3 * S, 0).ticket;
	look(7 * S, tickets[0]);
	for (size_t i = 0; i < ARRAY_LENGTH(most); i++) {
		int64_t at_ns = 11 * S + (int64_t)i * 10 * S;

		for (size_t n = 1; n < ARRAY_LENGTH(tickets); n++)
			look(at_ns, tickets[n]);
		is_int(gate.probers_count, most[i],
		    "more probe when those before take long");
	}
	result(90 * S, GATE_FAILURE, 3, gate.probers[1], 0);
	ok(look(90 * S, 0).until_ns > 0,
	    "one of them has failed: the next is due as after any other");
	fail(90 * S, 5);
	is_int(gate.state, GATE_SHUT, "a straggler's failure changes nothing");
	result(91 * S, GATE_SUCCESS, 6, 0, 0);
	is_int(gate.state, GATE_PACED, "... its success does");
	result(92 * S, GATE_FAILURE, 1, tickets[0], 0);
	is_int(gate.row.failures, 1,
	    "a probe that began before is a straggler then, but this one");
}

TEST(paces)
{
	struct gate_answer first, dead, third;

	pace_gate();
	first = look(7200 * MS, 0);
	is_int(first.until_ns, T0 + 7600 * MS, "the first start is later");
	dead = look(7200 * MS, 0);
	third = look(7200 * MS, 0);
	ok(look(7600 * MS - 1, first.ticket).until_ns > 0, "not before");
	ok(look(7600 * MS, first.ticket).ticket == 0, "then it starts");
	ok(gate.next == third.ticket + 1, "... by time, without a ticket more");
	is_int(dead.until_ns, T0 + 8100 * MS, "the next half a second later");
	is_int(third.until_ns, T0 + 8350 * MS,
	    "who comes after the second looks when twice the rate is there");
	ok(look(8600 * MS, third.ticket).ticket == 0,
	    "who has died costs one start");
	is_int(look(8700 * MS, 0).until_ns, T0 + 9100 * MS,
	    "who comes when nobody waits is paced, too");
	look(30 * S, 0);
	is_int(gate.state, GATE_OPEN, "it opens when nobody waits");
	pace_gate();
	gate.pace.rate = 300;
	look(9 * S, 0);
	is_int(gate.state, GATE_OPEN, "... or so many may start");
}

TEST(shuts_again)
{
	pace_gate();
	for (int i = 0; i < 9; i++)
		fail(8 * S + i * S / 2, 1 + (uint64_t)i);
	is_int(gate.state, GATE_PACED, "nine failures leave a paced gate");
	fail(13 * S, 11);
	is_int(gate.state, GATE_SHUT, "the tenth shuts it");
	pace_gate();
	for (int i = 0; i < 10; i++)
		fail(8 * S + i * MS, 1 + (uint64_t)i);
	is_int(gate.state, GATE_PACED, "... but not within a second");
	pace_gate();
	result(8 * S, GATE_REFUSAL, 1, 0, NS_PER_MIN);
	result(8010 * MS, GATE_REFUSAL, 2, 0, NS_PER_MIN);
	result(8020 * MS, GATE_REFUSAL, 3, 0, NS_PER_MIN);
	is_int(gate.state, GATE_PACED,
	    "three told to wait for what began together leave it paced");
	result(8300 * MS, GATE_REFUSAL, 4, 0, 2 * GATE_STATED_NS);
	is_int(gate.state, GATE_SHUT, "one that began later shuts it");
	is_int(gate.due_ns, T0 + 8300 * MS + GATE_STATED_NS,
	    "... for a day at most");
	pace_gate();
	for (int i = 8; i < 14; i++)
		result(i * S, GATE_REFUSAL, 1, 0, NS_PER_MIN);
	is_int(gate.state, GATE_PACED, "a run alone does not");
	pace_gate();
	for (uint64_t run = 1; run < 5; run++)
		result(8 * S, GATE_REFUSAL, run, 0, 0);
	result(10 * S, GATE_REFUSAL, 5, 0, NS_PER_MIN);
	is_int(gate.state, GATE_PACED, "nor do those that were not told");
	fail(11 * S, 1);
	look(60 * S, 0);
	ok(gate.pace.rate >= PACE_FIRST, "idle time does not slow it down");
	pace_gate();
	result(8 * S, GATE_REFUSAL, 1, 0, NS_PER_MIN);
	result(9 * S, GATE_REFUSAL, 2, 0, NS_PER_MIN);
	result(9100 * MS, GATE_SUCCESS, 3, 0, 0);
	result(10 * S, GATE_REFUSAL, 4, 0, NS_PER_MIN);
	result(11 * S, GATE_REFUSAL, 5, 0, 0);
	is_int(gate.state, GATE_PACED, "a success between them does not");
	ok(!result(12 * S, GATE_BY_HAND, 0, 0, 0),
	    "a gate that is not shut is not opened by hand");
	shut_gate();
	ok(result(3 * S, GATE_BY_HAND, 0, 0, 0), "one that is shut is");
	is_int(gate.state, GATE_PACED, "... and paced");
}

TEST(is_refused)
{
	gate = gate_new();
	result(1 * S, GATE_REFUSAL, 1, 0, 0);
	result(2 * S, GATE_REFUSAL, 2, 0, 0);
	is_int(gate.state, GATE_OPEN, "two refusals leave it open");
	result(3 * S, GATE_REFUSAL, 3, 0, 0);
	is_int(gate.state, GATE_PACED, "three in ten seconds pace it");
	gate = gate_new();
	for (int i = 0; i < 30; i++)
		result(i * 5 * S, GATE_REFUSAL, 1, 0, 0);
	is_int(gate.state, GATE_PACED, "... of one run, too");
	gate = gate_new();
	for (int i = 0; i < 30; i++)
		result(i * 6 * S, GATE_REFUSAL, 1, 0, 0);
	is_int(gate.state, GATE_OPEN, "... but not fewer");
	gate = gate_new();
	for (int i = 0; i < 200; i++)
		result(
		    i * S / 20, i % 10 ? GATE_SUCCESS : GATE_REFUSAL, 1, 0, 0);
	is_int(gate.state, GATE_OPEN, "one of ten refused is no limit");
}

/* What counts of --gate-wait. */
TEST(waits)
{
	uint64_t tickets[20];

	shut_gate();
	ok(gate_wait_counts(&gate, T0 + 6 * S), "a wait counts");
	for (size_t i = 0; i < ARRAY_LENGTH(tickets); i++)
		tickets[i] = look(3 * S, 0).ticket;
	look(7 * S, tickets[0]);
	ok(gate_wait_counts(&gate, T0 + 7900 * MS),
	    "... and with a probe that takes no longer than a failure");
	ok(!gate_wait_counts(&gate, T0 + 8 * S), "... but not with a longer");
	for (int64_t at = 8; at < 47; at++)
		for (size_t i = 0; i < ARRAY_LENGTH(tickets); i++)
			look(at * S, tickets[i]);
	is_int(gate.probers_count, GATE_MOST_PROBERS, "all probe that may");
	ok(!gate_wait_counts(&gate, T0 + 606 * S)
	        && gate_wait_counts(&gate, T0 + 607 * S),
	    "... and after ten minutes they hang: it counts again");
	result(47 * S, GATE_FAILURE, 1, gate.probers[0], 60 * S);
	ok(!gate_wait_counts(&gate, T0 + 48 * S),
	    "until a moment that was stated it does not");
}

TEST(stays_paced)
{
	pace_gate();
	fail(8 * S, 1);
	gate_pass_time(&gate, T0 + 60 * S);
	is_int(gate.state, GATE_PACED, "in a row of failures nobody is let go");
	result(61 * S, GATE_SUCCESS, 1, 0, 0);
	gate_pass_time(&gate, T0 + 62 * S);
	is_int(gate.state, GATE_OPEN, "a success ends that");
}

/* How the pause after an attempt that ended at T0 changes. */
TEST(changes_pauses)
{
	struct gate_attempt attempt
	    = { .outcome = GATE_FAILURE, .ended_ns = T0 };
	struct gate_effect effect;

	gate = gate_new();
	effect = gate_effect(&gate, &attempt, false);
	ok(!effect.waits_at_gate && !effect.keeps_windows,
	    "an open gate: as it is");
	gate.state = GATE_PACED;
	effect = gate_effect(&gate, &attempt, false);
	ok(!effect.waits_at_gate && effect.keeps_windows,
	    "paced: the first window");
	gate.state = GATE_SHUT;
	gate.due_ns = T0 + 5 * S;
	gate.probes = 4;
	effect = gate_effect(&gate, &attempt, false);
	ok(effect.waits_at_gate && effect.probe.number == 0, "shut: no pause");
	attempt.outcome = GATE_REFUSAL;
	attempt.stated_ns = 5 * S;
	ok(gate_effect(&gate, &attempt, false).waits_at_gate,
	    "  also if all wait for as long as was stated");
	attempt.stated_ns++;
	effect = gate_effect(&gate, &attempt, true);
	ok(!effect.waits_at_gate && effect.probe.number == 4
	        && effect.keeps_windows,
	    "what was stated for longer holds after a probe, too");
	attempt.outcome = GATE_SUCCESS;
	effect = gate_effect(&gate, &attempt, true);
	ok(!effect.keeps_windows && effect.probe.number == 0, "a success");
}
