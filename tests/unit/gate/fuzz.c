/* SPDX-License-Identifier: MIT */
/*
 * A gate whose record is not what a run has written: random bytes, and one
 * or more bits the other way, with a checksum that is right.
 */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/gate/gate.h"
#include "core/pause/random.h"
#include "unit/tap.h"

#define RECORDS 200000

/* A hint may last for a day; the rest is done within minutes. */
#define MOST_WAIT (GATE_HINT_NS + 5 * NS_PER_MIN)
#define MOST_STEPS 1000

/* NULL, or what is out of bounds at NOW_NS. */
static const char *
gate_flaw(const struct gate_record *record, int64_t now_ns)
{
	int64_t due_ns = record->hinted ? GATE_HINT_NS : GATE_DUE_NS;

	if ((unsigned)record->state >= GATE_STATES)
		return "a state that there is not";
	if (record->state == GATE_SHUT
	    && record->due_ns > saturating_add(now_ns, due_ns))
		return "shut without a due time";
	if (record->state != GATE_OPEN
	    && gate_overdue_ns(record) > saturating_add(now_ns, MOST_WAIT))
		return "a turn that is never passed on";
	if (record->state == GATE_RAMP
	    && record->release_ns > saturating_add(now_ns, GATE_DUE_NS))
		return "a ramp without a release";
	if (record->probes > GATE_MOST_PROBES)
		return "too many probes";
	if (record->turn == 0)
		return "a turn without a number";
	if (record->rate < GATE_LEAST_RATE || record->rate > GATE_MOST_RATE)
		return "a rate out of bounds";
	if (record->longest_ns > GATE_PATIENCE_NS
	    || record->patience_ns > GATE_PATIENCE_NS)
		return "a patience without end";
	if (gate_stated_ns(record, now_ns) < 0)
		return "less than no time was stated";
	if (record->failed > record->results)
		return "more have failed than there were";
	if (record->due_ns < 0 || record->release_ns < 0 || record->turn_ns < 0
	    || record->longest_ns < 0 || record->patience_ns < 0)
		return "a time below 0";
	if (record->reason[GATE_REASON_SIZE] != '\0')
		return "a reason without end";
	return NULL;
}

/*
 * Whoever holds the turn is stuck for ever, and one more run comes, whose
 * attempts succeed. NULL: it finds the gate open in the end.
 */
static const char *
gate_opens(struct gate_record record, int64_t now_ns)
{
	const struct gate_attempt served = {
		.outcome = GATE_ENDED_WELL,
		.began_ns = now_ns,
		.ended_ns = now_ns,
	};
	int64_t latest_ns = saturating_add(now_ns, MOST_WAIT);
	struct gate_run run = {
		.id = 99,
		.patience_ns = 70 * NS_PER_S,
		.other_gone = true,
	};

	for (int i = 0; i < MOST_STEPS; i++) {
		struct gate_decision decision = gate_ask(&record, now_ns, &run);

		if (record.state == GATE_OPEN)
			return NULL;
		if (decision.kind == GATE_QUEUE) {
			now_ns = max_ns(now_ns, decision.until_ns);
			run.turn = record.turn;
			decision = gate_pass_over(&record, now_ns, &run);
			run.turn = decision.kind == GATE_TAKE ? record.turn : 0;
			run.turn_ns = now_ns;
		} else if (decision.kind == GATE_WAIT) {
			now_ns = max_ns(saturating_add(now_ns, NS_PER_S),
			    decision.until_ns);
		} else if (decision.kind == GATE_PROBE) {
			gate_end(&record, now_ns, &run, &served);
		} else if (decision.kind != GATE_START) {
			return "a turn is lost to nobody";
		}
		if (now_ns > latest_ns)
			return "it takes too long";
	}
	return "it never opens";
}

static int64_t
below(struct random *random, int64_t many)
{
	return random_between(random, 0, many - 1);
}

static void
repair(uint8_t *bytes)
{
	uint32_t crc = crc32(bytes, GATE_RECORD_SIZE - 4);

	for (int i = 0; i < 4; i++)
		bytes[GATE_RECORD_SIZE - 4 + i] = (uint8_t)(crc >> 8 * i);
}

/* Times that are hard, and others. */
static int64_t
some_time(struct random *random)
{
	static const int64_t hard[] = { 0, 1, NS_PER_S, 60 * NS_PER_S,
		INT64_MAX - NS_PER_S, INT64_MAX - 1, INT64_MAX };

	return below(random, 2) == 0 ? hard[below(random, 7)]
	                             : below(random, 3600 * NS_PER_S);
}

static struct gate_record
some_record(struct random *random, int64_t now_ns)
{
	int64_t past_ns = below(random, min_ns(now_ns, INT64_MAX - 1) + 1);

	return (struct gate_record) {
		.state = (enum gate_state)below(random, GATE_STATES),
		.failures = (uint16_t)below(random, 4),
		.two_runs = below(random, 2) == 0,
		.last_run = (uint64_t)below(random, 3),
		.first_failure_ns = past_ns,
		.last_failure_ns = past_ns,
		.longest_ns = some_time(random),
		.probes = (uint32_t)random->bits(random),
		.due_ns = saturating_add(past_ns, below(random, 11) * NS_PER_S),
		.hinted = below(random, 2) == 0,
		.since_ns = past_ns,
		.shut_ns = past_ns,
		.news_ns = past_ns,
		.probe_ns = past_ns,
		.other_turn = (uint32_t)below(random, 3),
		.stated_ns = some_time(random),
		.turn
		= (uint32_t)random->bits(random) * (uint32_t)below(random, 2),
		.turn_ns = past_ns,
		.patience_ns = some_time(random),
		.rate = (uint32_t)random->bits(random),
		.rate_ns = past_ns,
		.was_cut = below(random, 2) == 0,
		.second_ns = past_ns,
		.results = (uint16_t)random->bits(random),
		.failed = (uint16_t)random->bits(random),
		.release_ns = saturating_add(past_ns, NS_PER_S),
	};
}

static void
spoil(uint8_t *bytes, struct random *random)
{
	if (below(random, 4) == 0)
		for (int i = 0; i < GATE_RECORD_SIZE; i++)
			bytes[i] = (uint8_t)random->bits(random);
	for (int64_t bits = below(random, 4); bits > 0; bits--)
		bytes[below(random, GATE_RECORD_SIZE)]
		    ^= (uint8_t)(1 << below(random, 8));
	bytes[0] %= 5;
	if (below(random, 8) > 0)
		repair(bytes);
}

static const char *
live(struct gate_record *record, int64_t now_ns, struct random *random)
{
	for (int i = 0; i < 6; i++) {
		struct gate_run run = {
			.id = (uint64_t)below(random, 3),
			.turn = record->turn * (uint32_t)below(random, 2),
			.turn_ns = some_time(random),
			.patience_ns = some_time(random),
			.alone = below(random, 2) == 0,
			.other_gone = below(random, 2) == 0,
		};
		struct gate_attempt attempt = {
			.outcome = (enum gate_outcome)below(random, 3),
			.began_ns = some_time(random),
			.ended_ns = some_time(random),
			.hint_ns = below(random, 2) * some_time(random),
			.pause_ns = some_time(random),
			.reason = "",
		};
		int64_t what = below(random, 3);

		now_ns = saturating_add(now_ns, below(random, 30 * NS_PER_S));
		if (what == 0)
			gate_ask(record, now_ns, &run);
		else if (what == 1)
			gate_end(record, now_ns, &run, &attempt);
		else
			gate_pass_over(record, now_ns, &run);
		if (gate_flaw(record, now_ns) != NULL)
			return gate_flaw(record, now_ns);
	}
	/* At the end of the clock nothing can be waited for. */
	return now_ns < INT64_MAX - MOST_WAIT ? gate_opens(*record, now_ns)
	                                      : NULL;
}

TESTS
{
	struct random random = random_from(1);
	uint8_t bytes[GATE_RECORD_SIZE];
	const char *flaw = NULL;
	int taken = 0, states[GATE_STATES] = { 0 };

	for (int i = 0; i < RECORDS && flaw == NULL; i++) {
		int64_t now_ns = some_time(&random);
		struct gate_record record = some_record(&random, now_ns);

		gate_encode(&record, bytes);
		spoil(bytes, &random);
		if (gate_decode(&record, bytes, now_ns)) {
			taken++;
			states[record.state]++;
		}
		flaw = gate_flaw(&record, now_ns);
		if (flaw == NULL)
			flaw = live(&record, now_ns, &random);
		if (flaw != NULL)
			printf("# record %d: %s\n", i, flaw);
	}
	ok(flaw == NULL, "a gate of any record is bounded, and opens again");
	is_between(taken, RECORDS / 8, RECORDS / 10 * 9,
	    "some records are taken as they are, some not");
	for (int state = 0; state < GATE_STATES; state++)
		ok(states[state] > RECORDS / 100,
		    gate_state_name((enum gate_state)state));
}
