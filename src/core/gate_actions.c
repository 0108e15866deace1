/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/gate_actions.h"

/* The longest time from one failure to the next that is in a row with it. */
#define GAP_NS (60 * NS_PER_S)

/* The ramp: its start, in thousandths a second, and its steps. */
#define FIRST_RATE 2000
#define STEP_NS NS_PER_S

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

bool
gate_continues(const struct gate_step *step)
{
	return step->record->failures > 0
	    && since(step->record->last_failure_ns, step->ended_ns) <= GAP_NS;
}

bool
gate_slowed(const struct gate_step *step)
{
	return step->record->slowed_ns > 0
	    && since(step->record->slowed_ns, step->now_ns) < STEP_NS;
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

	if (!gate_continues(step)) {
		record->failures = 0;
		record->two_runs = false;
		record->longest_ns = 0;
	} else if (record->last_run != step->run->id) {
		record->two_runs = true;
	}
	if (record->failures < UINT16_MAX)
		record->failures++;
	record->last_run = step->run->id;
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
}

static void
shut(const struct gate_step *step)
{
	struct gate_record *record = step->record;

	count(step);
	set_due(step);
	record->probes = 0;
	record->passed_over = 0;
	record->since_ns = record->shut_ns = record->news_ns = step->now_ns;
}

static void
probe_failed(const struct gate_step *step)
{
	struct gate_record *record = step->record;

	set_due(step);
	if (record->probes < GATE_MOST_PROBES)
		record->probes++;
	record->passed_over = 0;
	record->longest_ns = max_ns(record->longest_ns, ran_ns(step));
	gate_set_reason(record, step->attempt->reason);
}

static void
raise_turn(struct gate_record *record, int64_t now_ns)
{
	record->turn = record->turn == UINT32_MAX ? 1 : record->turn + 1;
	record->turn_ns = now_ns;
	if (record->state == GATE_PROBING && record->passed_over < UINT8_MAX)
		record->passed_over++;
}

static void
begin_ramp(struct gate_record *record, int64_t now_ns)
{
	forget(record);
	record->since_ns = record->news_ns = now_ns;
	record->rate = FIRST_RATE;
	record->rate_ns = record->release_ns = now_ns;
	record->slowed_ns = 0;
	record->passed_over = 0;
}

void
gate_grow(struct gate_record *record, int64_t now_ns)
{
	while (record->rate <= GATE_OPEN_RATE
	    && since(record->rate_ns, now_ns) >= STEP_NS) {
		record->rate_ns += STEP_NS;
		record->rate = record->slowed_ns == 0
		    ? record->rate * 2
		    : record->rate + record->rate / 20;
	}
}

/* Once it was twice too much; from then on, hardly more than there is. */
static void
slow_down(struct gate_record *record, int64_t now_ns)
{
	record->rate
	    = record->slowed_ns == 0 ? record->rate / 2 : record->rate / 10 * 7;
	if (record->rate < GATE_LEAST_RATE)
		record->rate = GATE_LEAST_RATE;
	record->rate_ns = record->slowed_ns = now_ns;
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
	case ACTION_SLOW:
		count(step);
		slow_down(record, step->now_ns);
		break;
	case ACTION_FORGET:
		forget(record);
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
