/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/duration.h"
#include "core/gate.h"

/* So many failures in a row, none of them this long after the one before. */
#define FAILURES 3
#define GAP_NS (60 * NS_PER_S)

/* The ramp: its start, its steps, in thousandths a second. */
#define FIRST_RATE 2000
#define STEP_NS NS_PER_S

/* A probe may last this much longer than the longest failure; at least, */
#define LONG_TIMES 2
#define LONG_NS (10 * NS_PER_S)

/* clang-format off */
const struct gate_rule gate_rules[GATE_RULES] = {
#define RULE(from, event, guard, action, to, kind) \
	{ GATE_##from, GATE_##event, GUARD_##guard, ACTION_##action, \
	  GATE_##to, GATE_##kind }
	RULE(OPEN, ASKS, NONE, NONE, OPEN, START),
	RULE(OPEN, HOLDS, NONE, NONE, OPEN, START),
	RULE(OPEN, IMPATIENT, NONE, NONE, OPEN, START),
	RULE(OPEN, SUCCESS, COUNTED, FORGET, OPEN, NOTHING),
	RULE(OPEN, SUCCESS, NONE, NONE, OPEN, NOTHING),
	RULE(OPEN, FAILURE, THIRD, SHUT, SHUT, NOTHING),
	RULE(OPEN, FAILURE, NONE, COUNT, OPEN, NOTHING),
	RULE(OPEN, HINT, NONE, SHUT, SHUT, NOTHING),
	RULE(OPEN, NEUTRAL, NONE, NONE, OPEN, NOTHING),
	RULE(OPEN, LATE_SUCCESS, COUNTED, FORGET, OPEN, NOTHING),
	RULE(OPEN, LATE_SUCCESS, NONE, NONE, OPEN, NOTHING),
	RULE(OPEN, LATE_FAILURE, NONE, NONE, OPEN, NOTHING),

	RULE(SHUT, ASKS, NONE, NONE, SHUT, QUEUE),
	RULE(SHUT, HOLDS, OTHER_TURN, NONE, SHUT, LOST),
	RULE(SHUT, HOLDS, DUE, PROBE, PROBING, PROBE),
	RULE(SHUT, HOLDS, NONE, HOLD, SHUT, WAIT),
	RULE(SHUT, IMPATIENT, OVERDUE, RAISE, SHUT, TAKE),
	RULE(SHUT, IMPATIENT, NONE, NONE, SHUT, QUEUE),
	/* No attempt that tells news runs now: that would be a probe. */
	RULE(SHUT, SUCCESS, NONE, NONE, SHUT, NOTHING),
	RULE(SHUT, FAILURE, NONE, NONE, SHUT, NOTHING),
	RULE(SHUT, HINT, NONE, NONE, SHUT, NOTHING),
	RULE(SHUT, NEUTRAL, NONE, NONE, SHUT, NOTHING),
	RULE(SHUT, LATE_SUCCESS, ASKED, NONE, SHUT, NOTHING),
	RULE(SHUT, LATE_SUCCESS, NONE, RAMP, RAMP, NOTHING),
	RULE(SHUT, LATE_FAILURE, NONE, NONE, SHUT, NOTHING),

	RULE(PROBING, ASKS, NONE, NONE, PROBING, QUEUE),
	RULE(PROBING, HOLDS, OTHER_TURN, NONE, PROBING, LOST),
	/* Who held the turn before has died with its probe. */
	RULE(PROBING, HOLDS, NONE, PROBE, PROBING, PROBE),
	RULE(PROBING, IMPATIENT, OVERDUE, RAISE, SHUT, TAKE),
	RULE(PROBING, IMPATIENT, NONE, NONE, PROBING, QUEUE),
	RULE(PROBING, SUCCESS, NONE, RAMP, RAMP, NOTHING),
	RULE(PROBING, FAILURE, NONE, PROBE_FAILED, SHUT, NOTHING),
	RULE(PROBING, HINT, NONE, PROBE_FAILED, SHUT, NOTHING),
	RULE(PROBING, NEUTRAL, NONE, PROBE_VOID, SHUT, NOTHING),
	RULE(PROBING, LATE_SUCCESS, NONE, RAMP, RAMP, NOTHING),
	RULE(PROBING, LATE_FAILURE, NONE, NONE, PROBING, NOTHING),

	RULE(RAMP, ASKS, FULL, OPEN, OPEN, START),
	RULE(RAMP, ASKS, NONE, NONE, RAMP, QUEUE),
	RULE(RAMP, HOLDS, FULL, OPEN, OPEN, START),
	RULE(RAMP, HOLDS, OTHER_TURN, NONE, RAMP, LOST),
	RULE(RAMP, HOLDS, RELEASE, RELEASE, RAMP, START),
	RULE(RAMP, HOLDS, NONE, HOLD, RAMP, WAIT),
	RULE(RAMP, IMPATIENT, FULL, OPEN, OPEN, START),
	RULE(RAMP, IMPATIENT, OVERDUE, RAISE, RAMP, TAKE),
	RULE(RAMP, IMPATIENT, NONE, NONE, RAMP, QUEUE),
	RULE(RAMP, SUCCESS, FULL, OPEN, OPEN, NOTHING),
	RULE(RAMP, SUCCESS, COUNTED, FORGET, RAMP, NOTHING),
	RULE(RAMP, SUCCESS, NONE, NONE, RAMP, NOTHING),
	RULE(RAMP, FAILURE, THIRD, SHUT, SHUT, NOTHING),
	RULE(RAMP, FAILURE, NONE, SLOW, RAMP, NOTHING),
	RULE(RAMP, HINT, NONE, SHUT, SHUT, NOTHING),
	RULE(RAMP, NEUTRAL, NONE, NONE, RAMP, NOTHING),
	RULE(RAMP, LATE_SUCCESS, FULL, OPEN, OPEN, NOTHING),
	RULE(RAMP, LATE_SUCCESS, COUNTED, FORGET, RAMP, NOTHING),
	RULE(RAMP, LATE_SUCCESS, NONE, NONE, RAMP, NOTHING),
	RULE(RAMP, LATE_FAILURE, NONE, NONE, RAMP, NOTHING),
#undef RULE
};
/* clang-format on */

/* All that a rule sees. */
struct step {
	struct gate_record *record;
	int64_t now_ns;
	const struct gate_run *run;
	const struct gate_attempt *attempt; /* that has ended, or NULL */
	int64_t ended_ns; /* when it did, not after now */
};

/* The time since THEN_NS, never less than 0. */
static int64_t
since(int64_t then_ns, int64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

static int64_t
ran_ns(const struct step *step)
{
	return min_ns(since(step->attempt->began_ns, step->ended_ns),
	    GATE_PATIENCE_NS);
}

int64_t
gate_failures(const struct gate_record *record)
{
	switch (record->state) {
	case GATE_SHUT:
	case GATE_PROBING:
		return (int64_t)record->probes + 2;
	case GATE_OPEN:
	case GATE_RAMP:
		break;
	}
	return 1;
}

/* How long a probe may keep the turn. Only one may push in early. */
static int64_t
probe_patience(const struct gate_record *record)
{
	int64_t long_ns = max_ns(
	    LONG_NS, saturating_multiply(record->longest_ns, LONG_TIMES));
	int64_t patience_ns = max_ns(record->patience_ns, LONG_NS);

	return record->passed_over == 0 ? min_ns(long_ns, patience_ns)
					: patience_ns;
}

int64_t
gate_overdue_ns(const struct gate_record *record)
{
	switch (record->state) {
	case GATE_SHUT:
		return saturating_add(
		    max_ns(record->due_ns, record->turn_ns), GATE_STUCK_NS);
	case GATE_PROBING:
		return saturating_add(
		    record->probe_ns, probe_patience(record));
	case GATE_RAMP:
		return saturating_add(
		    max_ns(record->release_ns, record->turn_ns),
		    GATE_STUCK_NS);
	case GATE_OPEN:
		break;
	}
	return INT64_MAX;
}

/* Whether a failure that ended then goes on with the count. */
static bool
continues(const struct step *step)
{
	return step->record->failures > 0
	    && since(step->record->last_failure_ns, step->ended_ns) <= GAP_NS;
}

static bool
is_third(const struct step *step)
{
	const struct gate_record *record = step->record;

	return continues(step) && record->failures >= FAILURES - 1
	    && (record->two_runs || record->last_run != step->run->id);
}

static bool
holds(enum gate_guard guard, const struct step *step)
{
	const struct gate_record *record = step->record;

	switch (guard) {
	case GUARD_OTHER_TURN:
		return step->run->turn != record->turn;
	case GUARD_DUE:
		return step->now_ns >= record->due_ns;
	case GUARD_RELEASE:
		return step->now_ns >= record->release_ns;
	case GUARD_FULL:
		return record->rate > GATE_OPEN_RATE;
	case GUARD_THIRD:
		return is_third(step);
	case GUARD_COUNTED:
		return record->failures > 0;
	case GUARD_ASKED:
		return record->hinted && step->now_ns < record->due_ns;
	case GUARD_OVERDUE:
		return step->run->turn == record->turn
		    && step->now_ns >= gate_overdue_ns(record);
	case GUARD_NONE:
		break;
	}
	return true;
}

/* The turn is RUN's. */
static void
hold(const struct step *step)
{
	step->record->turn_ns = min_ns(step->run->turn_ns, step->now_ns);
	step->record->patience_ns
	    = min_ns(step->run->patience_ns, GATE_PATIENCE_NS);
}

static void
count(const struct step *step)
{
	struct gate_record *record = step->record;

	if (!continues(step)) {
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
set_due(const struct step *step)
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
shut(const struct step *step)
{
	struct gate_record *record = step->record;

	count(step);
	set_due(step);
	record->probes = 0;
	record->passed_over = 0;
	record->since_ns = record->shut_ns = record->news_ns = step->now_ns;
}

static void
probe_failed(const struct step *step)
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
	record->halved_ns = 0;
	record->passed_over = 0;
}

/* It doubles until it was too much once, and then feels its way. */
static void
grow(struct gate_record *record, int64_t now_ns)
{
	while (record->rate <= GATE_OPEN_RATE
	    && since(record->rate_ns, now_ns) >= STEP_NS) {
		record->rate_ns += STEP_NS;
		record->rate = record->halved_ns == 0
		    ? record->rate * 2
		    : record->rate + record->rate / 10;
	}
}

static void
slow_down(struct gate_record *record, int64_t now_ns)
{
	record->rate_ns = now_ns;
	if (record->halved_ns > 0
	    && since(record->halved_ns, now_ns) < STEP_NS)
		return;
	record->halved_ns = now_ns;
	record->rate = record->rate / 2 > GATE_LEAST_RATE ? record->rate / 2
							  : GATE_LEAST_RATE;
}

/* The next one follows in its time: who is late makes up for one at most. */
static void
release(struct gate_record *record, int64_t now_ns)
{
	int64_t gap_ns = NS_PER_S * 1000 / record->rate;

	record->release_ns
	    = max_ns(record->release_ns, now_ns - min_ns(gap_ns, now_ns))
	    + gap_ns;
}

static void
act(enum gate_action action, const struct step *step)
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
	case ACTION_OPEN:
		forget(record);
		record->since_ns = step->now_ns;
		break;
	}
}
