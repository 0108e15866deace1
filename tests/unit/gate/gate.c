/* SPDX-License-Identifier: MIT */
/*
 * A gate: what opens and shuts it, and who may start.
 */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/gate/gate.h"
#include "core/gate/probe_pause.h"
#include "core/gate/rules.h"
#include "unit/tap.h"
#include "unit/unlimited.h"

#define NOW (1000 * NS_PER_S)
#define TENTH (NS_PER_S / 10)

static struct gate_run
run_with(uint64_t id, uint32_t turn)
{
	return (struct gate_run) {
		.id = id,
		.turn = turn,
		.turn_ns = NOW,
		.patience_ns = 70 * NS_PER_S,
	};
}

static struct gate_attempt
attempt_of(enum gate_outcome outcome, int64_t began_ns, int64_t ended_ns)
{
	return (struct gate_attempt) {
		.outcome = outcome,
		.began_ns = began_ns,
		.ended_ns = ended_ns,
		.pause_ns = 2 * NS_PER_S,
		.reason = "exit 7",
	};
}

/* An attempt of RUN's that took a tenth of a second has failed at NOW_NS. */
static struct gate_decision
fail(struct gate_record *record, int64_t now_ns, uint64_t run, uint32_t turn)
{
	struct gate_attempt attempt
	    = attempt_of(GATE_FAILED, now_ns - TENTH, now_ns);
	struct gate_run who = run_with(run, turn);

	return gate_end(record, now_ns, &who, &attempt);
}

static struct gate_decision
succeed(
    struct gate_record *record, int64_t now_ns, int64_t began_ns, uint32_t turn)
{
	struct gate_attempt attempt
	    = attempt_of(GATE_ENDED_WELL, began_ns, now_ns);
	struct gate_run who = run_with(1, turn);

	return gate_end(record, now_ns, &who, &attempt);
}

static struct gate_decision
ask(struct gate_record *record, int64_t now_ns, uint32_t turn)
{
	struct gate_run who = run_with(1, turn);

	who.turn_ns = now_ns;
	return gate_ask(record, now_ns, &who);
}

/* Each state and event has rules, all together, and one without a guard. */
static void
table_is_whole(void)
{
	bool ended[GATE_STATES][GATE_EVENTS] = { { false } };
	bool ordered = true, whole = true;

	for (size_t i = 0; i < GATE_RULES; i++) {
		const struct gate_rule *rule = &gate_rules[i];

		ordered = ordered && !ended[rule->from][rule->event];
		if (rule->guard == GUARD_NONE)
			ended[rule->from][rule->event] = true;
		if (rule->action == ACTION_NONE)
			whole = whole && rule->from == rule->to;
	}
	for (int state = 0; state < GATE_STATES; state++)
		for (int event = 0; event < GATE_EVENTS; event++)
			whole = whole && ended[state][event];
	ok(ordered, "no rule stands behind one without a guard");
	ok(whole, "each state has an answer to each event");
}

static void
what_shuts(void)
{
	struct gate_record record = gate_record_new();

	is_int(
	    ask(&record, NOW, 0).kind, GATE_START, "an open gate has no queue");
	for (int i = 0; i < 10; i++)
		fail(&record, NOW + i * NS_PER_S, 1, 0);
	is_int(record.state, GATE_OPEN, "one broken job alone shuts nothing");
	fail(&record, NOW + 10 * NS_PER_S, 2, 0);
	is_int(record.state, GATE_SHUT, "a second run that fails shuts it");
	is_int(record.due_ns, NOW + 12 * NS_PER_S,
	    "the probe is due a pause after that failure");
	is_int(record.shut_ns, NOW + 10 * NS_PER_S, "it knows since when");
	is_string(record.reason, "exit 7", "and why");
	is_int(record.longest_ns, TENTH, "and how long a failure takes");

	record = gate_record_new();
	fail(&record, NOW, 1, 0);
	fail(&record, NOW, 2, 0);
	is_int(record.state, GATE_OPEN, "two failures are too few");
	succeed(&record, NOW, NOW - 1, 0);
	is_int(record.failures, 0, "a success forgets them");
	fail(&record, NOW, 1, 0);
	fail(&record, NOW + 5 * NS_PER_MIN, 2, 0);
	fail(&record, NOW + 10 * NS_PER_MIN + 1, 3, 0);
	is_int(record.state, GATE_OPEN, "so do more than five minutes");
	is_int(record.failures, 1, "... and the count starts again");
	fail(&record, NOW + 11 * NS_PER_MIN, 3, 0);
	fail(&record, NOW + 12 * NS_PER_MIN, 3, 0);
	is_int(record.state, GATE_OPEN, "... with one run");
	fail(&record, NOW + 13 * NS_PER_MIN, 1, 0);
	is_int(record.state, GATE_SHUT, "a minute alone does not");
}

/* The gate has opened at NOW, so what began before that is late. */
static void
late_success(void)
{
	struct gate_record record = gate_record_new();

	record.news_ns = NOW;
	fail(&record, NOW + NS_PER_S, 1, 0);
	fail(&record, NOW + 2 * NS_PER_S, 2, 0);
	is_int(record.failures, 2, "two failures at an open gate");
	succeed(&record, NOW + 3 * NS_PER_S, NOW - NS_PER_S, 0);
	is_int(record.failures, 0, "a success that began before forgets them");
	fail(&record, NOW + 4 * NS_PER_S, 3, 0);
	is_int(record.state, GATE_OPEN, "... so that the next is no third one");
}

/* Failures that come together, as many jobs at once may have one each. */
static void
what_is_chance(void)
{
	struct gate_record record = gate_record_new();

	for (uint64_t run = 1; run <= 19; run++)
		fail(&record, NOW, run, 0);
	is_int(record.state, GATE_OPEN, "nineteen failures at once are few");
	fail(&record, NOW, 20, 0);
	is_int(record.state, GATE_SHUT, "twenty are a service that is down");

	record = gate_record_new();
	for (int i = 0; i < 30; i++)
		fail(&record, NOW, 1, 0);
	is_int(record.state, GATE_OPEN, "not twenty of one run");

	record = gate_record_new();
	for (uint64_t run = 1; run <= 5; run++)
		fail(&record, NOW + (int64_t)run, run, 0);
	fail(&record, NOW + NS_PER_S, 6, 0);
	is_int(record.state, GATE_OPEN, "six in less than a second are few");
	fail(&record, NOW + NS_PER_S + 1, 7, 0);
	is_int(record.state, GATE_SHUT, "a second apart, three are enough");

	record = gate_record_new();
	for (int i = 0; i < 100; i++) {
		fail(&record, NOW + i * NS_PER_S, (uint64_t)i, 0);
		fail(&record, NOW + i * NS_PER_S, (uint64_t)i + 1, 0);
		succeed(&record, NOW + i * NS_PER_S, NOW, 0);
	}
	is_int(record.state, GATE_OPEN, "two of three may fail");
}

/* A gate that has shut at NOW; the probe is due 2 s later. */
static struct gate_record
shut_gate(void)
{
	struct gate_record record = gate_record_new();

	for (uint64_t run = 1; run <= 2; run++)
		fail(&record, NOW - NS_PER_S, run, 0);
	fail(&record, NOW, 3, 0);
	return record;
}

static void
hints(void)
{
	struct gate_record record = gate_record_new();
	struct gate_attempt attempt = attempt_of(GATE_FAILED, NOW - TENTH, NOW);
	struct gate_run run = run_with(1, 0);

	attempt.hint_ns = NOW + NS_PER_MIN;
	gate_end(&record, NOW, &run, &attempt);
	is_int(record.state, GATE_SHUT, "a hint shuts it at once");
	is_int(record.due_ns, NOW + NS_PER_MIN, "until then");
	succeed(&record, NOW + 1, NOW - NS_PER_S, 0);
	is_int(record.state, GATE_SHUT, "that stands, whoever is served");
	is_int(ask(&record, NOW + NS_PER_MIN - 1, 1).kind, GATE_WAIT,
	    "no probe before");
	is_int(ask(&record, NOW + NS_PER_MIN, 1).kind, GATE_PROBE, "then one");
	attempt.hint_ns = INT64_MAX;
	run.turn = 1;
	gate_end(&record, NOW + NS_PER_MIN, &run, &attempt);
	is_int(record.due_ns, NOW + NS_PER_MIN + GATE_HINT_NS,
	    "no hint is obeyed for more than a day");
	is_int(record.probes, 1, "that probe failed");
}

/* A wait for a moment that was stated is not a wait for the service. */
static void
stated_time(void)
{
	struct gate_record record = gate_record_new();
	struct gate_attempt attempt = attempt_of(GATE_FAILED, NOW - TENTH, NOW);
	struct gate_run run = run_with(1, 0);

	is_int(gate_stated_ns(&record, NOW), 0, "nothing is stated yet");
	attempt.hint_ns = NOW + NS_PER_MIN;
	gate_end(&record, NOW, &run, &attempt);
	is_int(gate_stated_ns(&record, NOW), 0, "a minute is, from now on");
	is_int(
	    gate_stated_ns(&record, NOW + NS_PER_S), NS_PER_S, "... it passes");
	is_int(gate_stated_ns(&record, NOW + 2 * NS_PER_MIN), NS_PER_MIN,
	    "... and has passed");
	ask(&record, NOW + 2 * NS_PER_MIN, 1);
	fail(&record, NOW + 2 * NS_PER_MIN, 1, 1);
	is_int(gate_stated_ns(&record, NOW + 3 * NS_PER_MIN), NS_PER_MIN,
	    "a pause between probes is not stated");
	ask(&record, NOW + 3 * NS_PER_MIN, 1);
	attempt.hint_ns = NOW + 5 * NS_PER_MIN;
	run.turn = 1;
	gate_end(&record, NOW + 3 * NS_PER_MIN, &run, &attempt);
	is_int(gate_stated_ns(&record, NOW + 4 * NS_PER_MIN), 2 * NS_PER_MIN,
	    "a second hint adds to the first");
	is_int(gate_stated_ns(&record, NOW + 60 * NS_PER_MIN), 3 * NS_PER_MIN,
	    "... and no more than that");
}

static void
stragglers(void)
{
	struct gate_record record = shut_gate(), before = record;
	struct gate_attempt early
	    = attempt_of(GATE_ENDED_WELL, NOW - NS_PER_S, NOW);
	struct gate_run run = run_with(4, 0);

	fail(&record, NOW + 1, 4, 0);
	ok(memcmp(&record, &before, sizeof record) == 0,
	    "a straggler's failure changes nothing");
	early.ended_ns = NOW - 1;
	gate_end(&record, NOW + 1, &run, &early);
	is_int(record.state, GATE_SHUT, "a success before it shut is old news");
	succeed(&record, NOW + 1, NOW - NS_PER_S, 0);
	is_int(record.state, GATE_RAMP, "its success begins the ramp");
	for (uint64_t other = 1; other <= 3; other++)
		fail(&record, NOW + 1, other, 0);
	is_int(record.state, GATE_RAMP, "old failures do not end that");
	is_int(record.results, 0, "... and are none of its results");
	for (uint64_t other = 1; other <= 3; other++)
		fail(&record, NOW + (int64_t)other * NS_PER_S, other, 0);
	is_int(record.state, GATE_SHUT, "new ones do");
}

static void
probes(void)
{
	struct gate_record record = shut_gate();
	struct gate_decision decision = ask(&record, NOW, 0);

	is_int(decision.kind, GATE_QUEUE, "shut: who comes has to queue");
	is_int(decision.until_ns, NOW + 12 * NS_PER_S,
	    "... until the holder of the turn has missed its time");
	decision = ask(&record, NOW, 1);
	is_int(decision.kind, GATE_WAIT, "who holds the turn waits");
	is_int(decision.until_ns, NOW + 2 * NS_PER_S, "... until it is due");
	is_int(ask(&record, NOW + 2 * NS_PER_S, 2).kind, GATE_LOST,
	    "a turn of another number is none");
	is_int(ask(&record, NOW + 2 * NS_PER_S, 1).kind, GATE_PROBE,
	    "then it probes");
	is_int(ask(&record, NOW + 2 * NS_PER_S, 0).kind, GATE_QUEUE,
	    "who comes then has to queue");
	is_int(ask(&record, NOW + 2 * NS_PER_S, 2).kind, GATE_LOST,
	    "... and another turn is still none");
	is_int(gate_failures(&record), 2, "its pause is the second");
	fail(&record, NOW + 3 * NS_PER_S, 1, 1);
	is_int(record.state, GATE_SHUT, "a failed probe shuts it again");
	is_int(record.probes, 1, "... and is counted");
	is_int(record.due_ns, NOW + 5 * NS_PER_S, "... the next one is due");
	is_int(record.shut_ns, NOW, "... it has been shut for longer");
	is_int(gate_failures(&record), 3, "the next pause is the third");
	ask(&record, NOW + 5 * NS_PER_S, 1);
	is_int(ask(&record, NOW + 6 * NS_PER_S, 1).kind, GATE_PROBE,
	    "a prober that died leaves its probe to the next");
	succeed(&record, NOW + 7 * NS_PER_S, NOW + 6 * NS_PER_S, 1);
	is_int(record.state, GATE_RAMP, "a success begins the ramp");
}

static void
neutral(void)
{
	struct gate_record record = shut_gate();
	struct gate_attempt attempt
	    = attempt_of(GATE_NO_NEWS, NOW + 2 * NS_PER_S, NOW + 3 * NS_PER_S);
	struct gate_run run = run_with(1, 1);

	ask(&record, NOW + 2 * NS_PER_S, 1);
	gate_end(&record, NOW + 3 * NS_PER_S, &run, &attempt);
	is_int(record.probes, 0, "a neutral probe is none");
	is_int(ask(&record, NOW + 3 * NS_PER_S, 1).kind, GATE_PROBE,
	    "the next in the queue probes at once");
}

static void
long_pauses(void)
{
	struct gate_record record = gate_record_new();
	struct gate_attempt attempt = attempt_of(GATE_FAILED, NOW - TENTH, NOW);

	attempt.pause_ns = INT64_MAX;
	for (uint64_t id = 1; id <= 20; id++) {
		struct gate_run run = run_with(id, 0);

		gate_end(&record, NOW, &run, &attempt);
	}
	is_int(record.due_ns, NOW + GATE_DUE_NS,
	    "a probe is due after 10 s at the latest");
}

/* Shut after failures of LONGEST_NS; a probe of turn 1 began at NOW. */
static struct gate_record
probed_gate(int64_t longest_ns, int64_t patience_ns)
{
	struct gate_record record = shut_gate();
	struct gate_run run = run_with(1, 1);

	record.longest_ns = longest_ns;
	record.due_ns = NOW;
	run.patience_ns = patience_ns;
	gate_ask(&record, NOW, &run);
	return record;
}

static void
long_probes(void)
{
	struct gate_record record = probed_gate(NS_PER_S, 70 * NS_PER_S);
	struct gate_record other;
	struct gate_run first = run_with(2, 1);
	struct gate_decision decision;

	is_int(gate_overdue_ns(&record), NOW + 10 * NS_PER_S,
	    "a probe may last for 10 s");
	decision = gate_pass_over(&record, NOW + 10 * NS_PER_S - 1, &first);
	is_int(decision.kind, GATE_QUEUE, "before that nobody else tries");
	decision = gate_pass_over(&record, NOW + 10 * NS_PER_S, &first);
	is_int(decision.kind, GATE_TAKE, "then the turn passes on");
	decision = gate_pass_over(&record, NOW + NS_PER_MIN, &first);
	is_int(decision.kind, GATE_QUEUE, "but once for that number");
	first.turn = 2;
	decision = gate_ask(&record, NOW + 10 * NS_PER_S, &first);
	is_int(decision.kind, GATE_PROBE, "one more tries");
	decision = gate_pass_over(&record, NOW + 20 * NS_PER_S, &first);
	is_int(decision.kind, GATE_QUEUE, "but there is no third one");
	first.other_gone = true;
	other = record;
	decision = gate_pass_over(&other, NOW + 20 * NS_PER_S, &first);
	is_int(decision.kind, GATE_TAKE, "unless the first is gone");
	fail(&record, NOW + 11 * NS_PER_S, 1, 1);
	is_int(record.state, GATE_PROBING, "the late failure changes nothing");
	succeed(&record, NOW + 12 * NS_PER_S, NOW, 1);
	is_int(record.state, GATE_RAMP, "the late success opens");
	is_int(record.turn, 3, "... and no probe holds up those who come then");

	record = probed_gate(30 * NS_PER_S, 70 * NS_PER_S);
	is_int(gate_overdue_ns(&record), NOW + 60 * NS_PER_S,
	    "a probe may last for twice the longest failure");
	record = probed_gate(60 * NS_PER_S, 70 * NS_PER_S);
	is_int(gate_overdue_ns(&record), NOW + 70 * NS_PER_S,
	    "but not beyond the patience of its holder");
	record = probed_gate(NS_PER_S, 0);
	is_int(gate_overdue_ns(&record), NOW + 10 * NS_PER_S,
	    "which is never less than 10 s");
}

/* A ramp that began at NOW. */
static struct gate_record
ramp(void)
{
	struct gate_record record = shut_gate();

	succeed(&record, NOW, NOW - NS_PER_S, 0);
	return record;
}

/* The holder of the turn has let its time pass. */
static void
overdue(struct gate_record record)
{
	struct gate_run first = run_with(2, record.turn);
	int64_t late_ns = gate_overdue_ns(&record);

	is_int(gate_pass_over(&record, late_ns - 1, &first).kind, GATE_QUEUE,
	    "nobody goes before the holder of the turn");
	is_int(gate_pass_over(&record, late_ns, &first).kind, GATE_TAKE,
	    "then the turn passes on");
	is_int(record.turn, first.turn + 1, "... with a number of its own");
}

/* Starts between two moments, if many wait for the turn. */
static int
starts(struct gate_record *record, int64_t from_ns, int64_t to_ns)
{
	int64_t now_ns = from_ns;
	int count = 0;

	while (now_ns < to_ns && record->state == GATE_RAMP) {
		struct gate_decision decision = ask(record, now_ns, 1);

		if (decision.kind == GATE_START)
			count++;
		else
			now_ns = decision.until_ns;
	}
	return count;
}

static void
ramps(void)
{
	struct gate_record record = ramp();

	is_int(ask(&record, NOW, 0).kind, GATE_QUEUE, "a ramp has a queue");
	is_between(starts(&record, NOW, NOW + NS_PER_S), 2, 3, "2 a second");
	is_between(starts(&record, NOW + NS_PER_S, NOW + 2 * NS_PER_S), 4, 5,
	    "then 4");
	is_between(starts(&record, NOW + 2 * NS_PER_S, NOW + 7 * NS_PER_S), 246,
	    251, "8 16 32 64 128");
	is_between(starts(&record, NOW + 7 * NS_PER_S, NOW + 8 * NS_PER_S), 250,
	    258, "256");
	is_int(ask(&record, NOW + 8 * NS_PER_S, 0).kind, GATE_START, "all");
	is_int(record.state, GATE_OPEN, "then it is open");
	is_int(record.since_ns, NOW + 8 * NS_PER_S, "... since then");
}

/* SERVED of RESULTS succeed in the second that begins at FROM_NS. */
static void
second_of(struct gate_record *record, int64_t from_ns, int results, int served)
{
	for (int i = 0; i < results; i++) {
		int64_t now_ns = from_ns + NS_PER_S * i / results;

		/* A row of failures is for others. */
		if ((i + 1) * served / results > i * served / results)
			succeed(record, now_ns, now_ns, 0);
		else
			fail(record, now_ns + TENTH, (uint64_t)i, 0);
	}
}

/* The rate, a second of such results after it was 16. */
static int64_t
after(bool was_cut, int results, int served)
{
	struct gate_record record = ramp();

	record.rate = 16000;
	record.was_cut = was_cut;
	second_of(&record, NOW, results, served);
	ask(&record, NOW + NS_PER_S, 1);
	return record.rate;
}

static void
ramp_results(void)
{
	struct gate_record record = ramp();

	is_int(after(false, 16, 16), 32000, "all served: twice the rate");
	is_int(after(false, 1, 0), 32000, "a failure alone is chance");
	is_int(after(false, 15, 12), 32000, "20 percent: twice the rate");
	is_int(after(false, 14, 11), 16000, "more: the same again");
	is_int(after(false, 10, 7), 16000, "... up to 30 percent");
	is_int(after(false, 12, 7), 7000, "more: as many as were served");
	is_int(after(false, 6, 1), 2000, "... but not less than 2");
	is_int(after(true, 16, 16), 18666, "once cut, it grows by a sixth");
	is_int(after(true, 14, 11), 16000, "... or stays");

	record.rate = 16000;
	second_of(&record, NOW, 12, 6);
	ask(&record, NOW + NS_PER_S, 1);
	ok(record.was_cut, "it knows that it was cut");
	is_int(record.results, 0, "each second begins with none");
	is_int(record.rate_ns, NOW + NS_PER_S, "it knows since when");
	starts(&record, NOW + NS_PER_S, NOW + 3 * NS_PER_S);
	ask(&record, NOW + 3 * NS_PER_S, 1);
	is_int(record.rate, 8166, "attempts that take long are not waited for");
}

/* As far as its holder can tell. */
static void
ramp_alone(void)
{
	struct gate_record record = ramp();
	struct gate_run run = run_with(1, 1);

	starts(&record, NOW, NOW + NS_PER_S / 10);
	run.alone = true;
	is_int(gate_ask(&record, NOW + NS_PER_S / 10, &run).kind, GATE_WAIT,
	    "one who is alone waits for its time");
	is_int(gate_ask(&record, NOW + NS_PER_S, &run).kind, GATE_START,
	    "then it starts");
	is_int(record.state, GATE_OPEN, "and as nobody waits, it is open");
}

static void
ramp_failures(void)
{
	struct gate_record record = ramp();

	for (uint64_t run = 0; run < 100; run++)
		fail(&record, NOW + NS_PER_S / 2, run, 0);
	is_int(
	    record.state, GATE_RAMP, "a ramp meets its limit: that is no row");
	fail(&record, NOW + 2 * NS_PER_S, 2, 0);
	is_int(record.state, GATE_SHUT, "one that goes on for a second is");
	is_int(record.probes, 0, "its probes count from 1");
	record = ramp();
	for (int i = 0; i < 30; i++)
		fail(&record, NOW + i * NS_PER_S, 1, 0);
	is_int(record.state, GATE_RAMP, "one job alone does not shut it");
}

static void
record_on_disk(void)
{
	struct gate_record record = shut_gate(), back;
	uint8_t bytes[GATE_RECORD_SIZE], again[GATE_RECORD_SIZE];

	is_int(crc32((const uint8_t *)"123456789", 9), 0xcbf43926, "the crc");
	record.rate = 0;
	gate_encode(&record, bytes);
	ok(gate_decode(&back, bytes, NOW) && back.rate == GATE_LEAST_RATE,
	    "a rate of 0 would let nobody in again");
	record = shut_gate();
	record.last_run = 0x0102030405060708;
	gate_encode(&record, bytes);
	ok(gate_decode(&back, bytes, NOW), "a record can be read again");
	gate_encode(&back, again);
	ok(memcmp(bytes, again, sizeof bytes) == 0, "it is the same");
	ok(bytes[0] == GATE_SHUT && bytes[4] == 8 && bytes[11] == 1,
	    "numbers are little-endian, wherever it was written");
	bytes[100] ^= 4;
	ok(!gate_decode(&back, bytes, NOW), "one bit is noticed");
	is_int(back.state, GATE_OPEN, "and it is as new");
	is_int(back.turn, 1, "with a turn");
	ok(!gate_decode(&back, (const uint8_t[GATE_RECORD_SIZE]) { 0 }, NOW),
	    "zeros are no record");
	ok(!gate_decode(&back, again, NOW - 2 * NS_PER_S),
	    "a time that is still to come makes it new");
	ok(gate_decode(&back, again, NOW - NS_PER_S / 2),
	    "... unless clocks can differ so");
	is_int(back.shut_ns, NOW - NS_PER_S / 2, "... and it is now then");
	record.due_ns = NOW + GATE_DUE_NS + 2 * NS_PER_S;
	gate_encode(&record, bytes);
	ok(!gate_decode(&back, bytes, NOW), "so does a probe due too late");
	record.hinted = true;
	gate_encode(&record, bytes);
	ok(gate_decode(&back, bytes, NOW), "... without a hint");
	gate_set_reason(&record,
	    "a\033]0;\n\xc3\xa9 12345678901234567890123456"
	    "78901234567890");
	is_string(record.reason, "a?]0;??? 1234567890123456789012345678901",
	    "a reason is printable, and cut");
}

static void
pauses(void)
{
	struct policy policy = usual().policy;
	struct random random = random_from(1);
	int64_t sum = 0, longest = 0;

	for (int i = 0; i < 1000; i++) {
		int64_t ns = gate_pause(&policy, &random, 9);

		sum += ns / 1000;
		longest = max_ns(longest, ns);
	}
	is_between(longest, 9 * NS_PER_S, GATE_DUE_NS, "10 s at most");
	is_between(sum, 4800 * NS_PER_MS, 5300 * NS_PER_MS,
	    "and no draw piles up there");
	policy.jitter.kind = JITTER_NONE;
	is_int(gate_pause(&policy, &random, 2), 3 * NS_PER_S, "the second");
	policy.floor_ns = policy.slot_ns = policy.base_ns = NS_PER_MIN;
	is_int(gate_pause(&policy, &random, 1), GATE_DUE_NS, "no floor above");
	policy.jitter.kind = JITTER_DECORRELATED;
	policy.floor_ns = policy.base_ns = policy.slot_ns = 0;
	policy.base_ns = NS_PER_S;
	for (int i = 0, growing = 0; i < 100; i++) {
		growing += gate_pause(&policy, &random, 40) > 3 * NS_PER_S;
		if (i == 99)
			ok(growing > 50, "decorrelated pauses grow");
	}
}

/* Who may not wait has the turn where nobody else wants it. */
static void
unattended(void)
{
	struct gate_record record = { .state = GATE_SHUT, .due_ns = NOW };

	ok(!gate_needs_no_wait(&record, NOW), "a probe is due just now");
	ok(!gate_needs_no_wait(&record, NOW + 30 * NS_PER_S - 1),
	    "... nearly half a minute ago");
	ok(gate_needs_no_wait(&record, NOW + 30 * NS_PER_S),
	    "... and nobody has come for it");
	record
	    = (struct gate_record) { .state = GATE_PROBING, .probe_ns = NOW };
	ok(!gate_needs_no_wait(&record, NOW + NS_PER_S), "a probe runs");
	ok(gate_needs_no_wait(&record, NOW + 30 * NS_PER_S),
	    "it may have died, if its turn is free");
	record.state = GATE_RAMP;
	ok(gate_needs_no_wait(&record, NOW), "in the ramp the turn decides");
}

TESTS
{
	table_is_whole();
	what_shuts();
	late_success();
	what_is_chance();
	hints();
	stated_time();
	stragglers();
	probes();
	overdue(shut_gate());
	overdue(ramp());
	neutral();
	long_pauses();
	long_probes();
	ramps();
	ramp_results();
	ramp_alone();
	ramp_failures();
	unattended();
	record_on_disk();
	pauses();
}
