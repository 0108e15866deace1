/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/actions.h"
#include "core/gate/gate.h"
#include "core/gate/rules.h"

/* A probe may last this much longer than the longest failure; at least, */
#define LONG_TIMES 2
#define LONG_NS (10 * NS_PER_S)

static bool
is_shut(const struct gate_record *record)
{
	return record->state == GATE_SHUT || record->state == GATE_PROBING;
}

int64_t
gate_failures(const struct gate_record *record)
{
	return is_shut(record) ? (int64_t)record->probes + 2 : 1;
}

/* Nobody wants to start: who has a turn is stuck for much less than that. */
#define DESERTED_NS NS_PER_MIN

/* Nobody probes either: who waits does so within much less than that. */
#define UNATTENDED_NS (30 * NS_PER_S)

/* So often it is looked at whether one of two long probes has ended. */
#define LOOK_NS NS_PER_S

/* How long a probe may keep the turn. */
static int64_t
probe_patience(const struct gate_record *record)
{
	int64_t long_ns = max_ns(
	    LONG_NS, saturating_multiply(record->longest_ns, LONG_TIMES));

	return min_ns(long_ns, max_ns(record->patience_ns, LONG_NS));
}

int64_t
gate_overdue_ns(const struct gate_record *record)
{
	switch (record->state) {
	case GATE_SHUT:
		return saturating_add(
		    max_ns(record->due_ns, record->turn_ns), GATE_STUCK_NS);
	case GATE_PROBING:
		return saturating_add(record->probe_ns, probe_patience(record));
	case GATE_RAMP:
		return saturating_add(
		    max_ns(record->release_ns, record->turn_ns), GATE_STUCK_NS);
	case GATE_OPEN:
		break;
	}
	return INT64_MAX;
}

int64_t
gate_stated_ns(const struct gate_record *record, int64_t now_ns)
{
	int64_t ahead_ns = is_shut(record) && record->hinted
	    ? max_ns(record->due_ns - max_ns(now_ns, 0), 0)
	    : 0;

	return max_ns(record->stated_ns - ahead_ns, 0);
}

bool
gate_needs_no_wait(const struct gate_record *record, int64_t now_ns)
{
	switch (record->state) {
	case GATE_SHUT:
		return now_ns >= saturating_add(record->due_ns, UNATTENDED_NS);
	case GATE_PROBING:
		return now_ns
		    >= saturating_add(record->probe_ns, UNATTENDED_NS);
	case GATE_OPEN:
	case GATE_RAMP:
		break;
	}
	return true;
}

/* Two probes may run at once, not three: who would be the third waits. */
static bool
is_overdue(const struct gate_step *step)
{
	const struct gate_record *record = step->record;

	if (step->run->turn != record->turn
	    || step->now_ns < gate_overdue_ns(record))
		return false;
	return record->state != GATE_PROBING || record->other_turn == 0
	    || step->run->other_gone;
}

static bool
holds(enum gate_guard guard, const struct gate_step *step)
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
		return record->rate > GATE_OPEN_RATE
		    || step->now_ns
		    > saturating_add(record->release_ns, DESERTED_NS);
	case GUARD_ALONE:
		return step->run->alone && step->now_ns >= record->release_ns;
	case GUARD_ROW:
		return gate_is_row(step);
	case GUARD_COUNTED:
		return record->failures > 0;
	case GUARD_ASKED:
		return record->hinted && step->now_ns < record->due_ns;
	case GUARD_OVERDUE:
		return is_overdue(step);
	case GUARD_NONE:
		break;
	}
	return true;
}

/* What the decision is to wait for. */
static int64_t
wait_until(
    const struct gate_record *record, enum gate_kind kind, int64_t now_ns)
{
	int64_t overdue_ns = gate_overdue_ns(record);

	if (kind == GATE_QUEUE)
		return record->state == GATE_PROBING && record->other_turn != 0
		    ? max_ns(overdue_ns, saturating_add(now_ns, LOOK_NS))
		    : overdue_ns;
	if (kind == GATE_WAIT)
		return record->state == GATE_RAMP ? record->release_ns
		                                  : record->due_ns;
	return 0;
}

static struct gate_decision
decide(const struct gate_step *asked, enum gate_event event)
{
	struct gate_record next = *asked->record;
	struct gate_step step = *asked;
	const struct gate_rule *rule = gate_rules;
	struct gate_decision decision = { .was = next.state };

	step.record = &next;
	if (next.state == GATE_RAMP)
		gate_pace(&next, step.now_ns);
	while (rule->from != (unsigned char)next.state
	    || rule->event != (unsigned char)event
	    || !holds((enum gate_guard)rule->guard, &step))
		rule++;
	decision.rule = (size_t)(rule - gate_rules);
	decision.kind = (enum gate_kind)rule->kind;
	decision.changed = rule->action != ACTION_NONE;
	if (decision.changed) {
		gate_act((enum gate_action)rule->action, &step);
		next.state = (enum gate_state)rule->to;
		*asked->record = next;
	}
	decision.until_ns
	    = wait_until(asked->record, decision.kind, step.now_ns);
	return decision;
}

struct gate_decision
gate_ask(struct gate_record *record, int64_t now_ns, const struct gate_run *run)
{
	const struct gate_step step
	    = { .record = record, .now_ns = max_ns(now_ns, 0), .run = run };

	return decide(&step, run->turn == 0 ? GATE_ASKS : GATE_HOLDS);
}

struct gate_decision
gate_pass_over(
    struct gate_record *record, int64_t now_ns, const struct gate_run *run)
{
	const struct gate_step step
	    = { .record = record, .now_ns = max_ns(now_ns, 0), .run = run };

	return decide(&step, GATE_IMPATIENT);
}

/* Whether what became of the attempt says nothing of how it is now. */
static bool
is_late(const struct gate_step *step)
{
	const struct gate_record *record = step->record;

	switch (record->state) {
	case GATE_SHUT:
		return true;
	case GATE_PROBING:
		return step->run->turn != record->turn;
	case GATE_OPEN:
	case GATE_RAMP:
		break;
	}
	return step->attempt->began_ns < record->news_ns;
}

static enum gate_event
event_of(const struct gate_step *step)
{
	switch (step->attempt->outcome) {
	case GATE_ENDED_WELL:
		if (!is_late(step))
			return GATE_SUCCESS;
		/* It came before what the gate knows. */
		if (step->ended_ns < step->record->news_ns)
			break;
		return GATE_LATE_SUCCESS;
	case GATE_FAILED:
		if (is_late(step))
			break;
		return step->attempt->hint_ns > 0 ? GATE_HINT : GATE_FAILURE;
	case GATE_NO_NEWS:
		if (is_late(step))
			break;
		return GATE_NEUTRAL;
	}
	return GATE_LATE_FAILURE;
}

struct gate_decision
gate_end(struct gate_record *record, int64_t now_ns, const struct gate_run *run,
    const struct gate_attempt *attempt)
{
	const struct gate_step step = {
		.record = record,
		.now_ns = max_ns(now_ns, 0),
		.run = run,
		.attempt = attempt,
		.ended_ns = max_ns(min_ns(attempt->ended_ns, now_ns), 0),
	};

	return decide(&step, event_of(&step));
}

bool
gate_open_by_hand(struct gate_record *record, int64_t now_ns)
{
	const struct gate_step step
	    = { .record = record, .now_ns = max_ns(now_ns, 0) };

	if (!is_shut(record))
		return false;
	gate_act(ACTION_RAMP_PAST, &step);
	record->state = GATE_RAMP;
	return true;
}

const char *
gate_state_name(enum gate_state state)
{
	static const char names[GATE_STATES][8]
	    = { "open", "shut", "probing", "ramp" };

	return names[state];
}
