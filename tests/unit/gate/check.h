/* SPDX-License-Identifier: MIT */
#ifndef GATE_CHECK_H
#define GATE_CHECK_H
/*
 * What holds for each record of a gate, and that it always opens again.
 */

#include "core/base/duration.h"
#include "core/gate/gate.h"

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

#endif
