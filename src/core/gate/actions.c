/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/actions.h"

/* The longest time from one failure to the next that is in a row with it. */
#define GAP_NS (5 * NS_PER_MIN)

/*
 * So many failures in a row shut the gate: few by chance if they come together,
 * as one attempt of each job that runs may fail; or many.
 */
#define FEW 3
#define FEW_SPAN_NS NS_PER_S
#define MANY 20

/*
 * The ramp is judged once in STEP_NS by its results: too many failures and it
 * goes back to what was served; few, and it grows. One failure is chance.
 */
#define STEP_NS NS_PER_S
#define CUT_PERCENT 30 /* more than that */
#define GROW_PERCENT 20 /* at most */
#define CHANCE 1
#define GROW_PART 6 /* by so much of itself, after the first cut */

/* The time since THEN_NS, never less than 0. */
static int64_t
since(int64_t then_ns, int64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* NS as a number of 0..MOST_NS. */
static int64_t
within(int64_t ns, int64_t most_ns)
{
	return max_ns(min_ns(ns, most_ns), 0);
}

static int64_t
ran_ns(const struct gate_step *step)
{
	int64_t began_ns = max_ns(step->attempt->began_ns, 0);

	return min_ns(since(began_ns, step->ended_ns), GATE_PATIENCE_NS);
}

/* Whether the failure that has ended is in a row with the one before. */
static bool
continues(const struct gate_step *step)
{
	return step->record->failures > 0
	    && since(step->record->last_failure_ns, step->ended_ns) <= GAP_NS;
}

bool
gate_is_row(const struct gate_step *step)
{
	const struct gate_record *record = step->record;
	int count = record->failures + 1;

	if (!continues(step)
	    || (!record->two_runs && record->last_run == step->run->id))
		return false;
	return (count >= MANY && record->state == GATE_OPEN)
	    || (count >= FEW
	        && since(record->first_failure_ns, step->ended_ns)
	            >= FEW_SPAN_NS);
}

/* The turn is RUN's. */
static void
hold(const struct gate_step *step)
{
	step->record->turn_ns = within(step->run->turn_ns, step->now_ns);
	step->record->patience_ns
	    = within(step->run->patience_ns, GATE_PATIENCE_NS);
}

static void
count(const struct gate_step *step)
{
	struct gate_record *record = step->record;

	if (!continues(step)) {
		record->failures = 0;
		record->two_runs = false;
		record->longest_ns = 0;
		record->first_failure_ns = step->ended_ns;
	} else if (record->last_run != step->run->id) {
		record->two_runs = true;
	}
	if (record->failures < UINT16_MAX)
		record->failures++;
	record->last_run = step->run->id;
	record->first_failure_ns
	    = min_ns(record->first_failure_ns, step->ended_ns);
	record->last_failure_ns
	    = max_ns(record->last_failure_ns, step->ended_ns);
	record->longest_ns = max_ns(record->longest_ns, ran_ns(step));
	gate_set_reason(record, step->attempt->reason);
}

static void
forget(struct gate_record *record)
{
	record->failures = 0;
	record->two_runs = false;
}

/* The next probe is due after a hint or a pause, as the failure says. */
static void
set_due(const struct gate_step *step)
{
	struct gate_record *record = step->record;
	int64_t pause_ns = max_ns(step->attempt->pause_ns, 0);

	record->hinted = step->attempt->hint_ns > 0;
	record->due_ns = record->hinted
	    ? min_ns(step->attempt->hint_ns,
	        saturating_add(step->now_ns, GATE_HINT_NS))
	    : saturating_add(step->ended_ns, min_ns(pause_ns, GATE_DUE_NS));
	if (record->hinted)
		record->stated_ns = saturating_add(
		    record->stated_ns, since(step->now_ns, record->due_ns));
}

static void
shut(const struct gate_step *step)
{
	struct gate_record *record = step->record;

	count(step);
	set_due(step);
	record->probes = 0;
	record->is_copy = false;
	record->since_ns = record->shut_ns = record->news_ns = step->now_ns;
}

static void
probe_failed(const struct gate_step *step)
{
	struct gate_record *record = step->record;

	set_due(step);
	if (record->probes < GATE_MOST_PROBES)
		record->probes++;
	gate_set_reason(record, step->attempt->reason);
}

static void
raise_turn(struct gate_record *record, int64_t now_ns)
{
	if (record->state == GATE_PROBING)
		record->other_turn = record->turn;
	record->turn = record->turn == UINT32_MAX ? 1 : record->turn + 1;
	record->turn_ns = now_ns;
}

static void
begin_ramp(struct gate_record *record, int64_t now_ns)
{
	forget(record);
	record->since_ns = record->news_ns = now_ns;
	record->rate = GATE_LEAST_RATE;
	record->rate_ns = record->release_ns = record->second_ns = now_ns;
	record->was_cut = false;
	record->results = record->failed = 0;
}

/*
 * What the second that has passed says. In one without a start nobody was
 * there, or who had the turn was stuck, and others may still wait.
 */
static uint32_t
next_rate(struct gate_record *record)
{
	int failed = record->failed, served = record->results - failed;
	bool has_starts = record->release_ns > record->second_ns;
	uint32_t rate = record->rate;

	if (record->results == 0 && !has_starts)
		return rate;
	if (failed > CHANCE && failed * 100 > record->results * CUT_PERCENT) {
		record->was_cut = true;
		rate = (uint32_t)served * 1000;
	} else if (failed <= CHANCE
	    || failed * 100 <= record->results * GROW_PERCENT) {
		rate = record->was_cut ? rate + rate / GROW_PART : rate * 2;
	}
	return rate < GATE_LEAST_RATE ? GATE_LEAST_RATE
	    : rate > GATE_MOST_RATE   ? GATE_MOST_RATE
	                              : rate;
}

void
gate_pace(struct gate_record *record, int64_t now_ns)
{
	while (record->rate <= GATE_OPEN_RATE
	    && since(record->second_ns, now_ns) >= STEP_NS) {
		uint32_t rate = next_rate(record);

		/* Empty seconds say nothing, however many there were. */
		if (record->results == 0
		    && record->release_ns <= record->second_ns)
			record->second_ns += since(record->second_ns, now_ns)
			    / STEP_NS * STEP_NS;
		else
			record->second_ns += STEP_NS;
		record->results = record->failed = 0;
		if (rate != record->rate)
			record->rate_ns = record->second_ns;
		record->rate = rate;
	}
}

static void
count_result(struct gate_record *record, bool failed)
{
	if (record->results == UINT16_MAX)
		return;
	record->results++;
	record->failed = (uint16_t)(record->failed + failed);
}

/* The next one follows in its time: who is late makes up for one at most. */
static void
release(struct gate_record *record, int64_t now_ns)
{
	int64_t gap_ns = NS_PER_S * 1000 / record->rate;

	record->release_ns = saturating_add(
	    max_ns(record->release_ns, since(gap_ns, now_ns)), gap_ns);
}

void
gate_act(enum gate_action action, const struct gate_step *step)
{
	struct gate_record *record = step->record;

	switch (action) {
	case ACTION_NONE:
	case ACTION_PROBE_VOID:
		break;
	case ACTION_HOLD:
		hold(step);
		break;
	case ACTION_PROBE:
		hold(step);
		record->probe_ns = step->now_ns;
		break;
	case ACTION_RELEASE:
		hold(step);
		release(record, step->now_ns);
		break;
	case ACTION_RAISE:
		raise_turn(record, step->now_ns);
		break;
	case ACTION_COUNT:
		count(step);
		break;
	case ACTION_FORGET:
		forget(record);
		break;
	case ACTION_RAMP_FAILED:
		count(step);
		count_result(record, true);
		break;
	case ACTION_RAMP_SERVED:
		forget(record);
		count_result(record, false);
		break;
	case ACTION_SHUT:
		shut(step);
		break;
	case ACTION_PROBE_FAILED:
		probe_failed(step);
		break;
	case ACTION_RAMP:
		begin_ramp(record, step->now_ns);
		break;
	case ACTION_RAMP_PAST:
		raise_turn(record, step->now_ns);
		begin_ramp(record, step->now_ns);
		break;
	case ACTION_OPEN:
		forget(record);
		record->since_ns = step->now_ns;
		break;
	}
}
