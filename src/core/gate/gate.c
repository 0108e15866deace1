/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"

/* An open gate shuts after ROW failures over ROW_NS, or ROW_AT_ONCE; */
#define ROW 3
#define ROW_NS NS_PER_S
#define FLEET_ROW_NS (2 * NS_PER_S) /* machines may see it a second late */
#define ROW_AT_ONCE 20
/* a paced one after PACED_ROW. A failure ROW_ENDS_NS later begins a row. */
#define PACED_ROW 10
#define ROW_ENDS_NS (5 * NS_PER_MIN)

/* An open gate is paced after so many refusals in WINDOW_NS. */
#define WINDOW_NS (10 * NS_PER_S)
#define WINDOW_REFUSALS 3
#define WINDOW_SHARE 0.15

/*
 * A paced gate shuts until the stated moment after so many runs in a row were
 * told to wait. TOOK_NS is how long a success takes, before there was one.
 */
#define QUOTA_TOLD 3
#define TOOK_NS NS_PER_S

/* By then decorrelated jitter has met the cap, or never will. */
#define MOST_DRAWS 32

/* The next probe starts after this, or twice the longest failure. */
#define PROBE_NS (10 * NS_PER_S)

/* The first probe runs between these: it may be a long job that succeeds. */
#define PROMISE_NS NS_PER_S
#define MOST_PROMISE_NS (10 * NS_PER_MIN)

/* A run that does not wait takes a probe that has been due for so long. */
#define DESERTED_NS (30 * NS_PER_S)

/* How often a waiting run looks. */
#define LOOK_LEAST_NS NS_PER_S
#define LOOK_PROBE_NS (NS_PER_S / 4)
#define LOOK_MOST_NS (10 * NS_PER_S)

/* A paced gate opens if nobody waits, and for so long nobody was refused. */
#define EMPTY_NS (10 * NS_PER_S)
#define OPEN_RATE 256.0

struct gate
gate_new(void)
{
	return (struct gate) {
		.state = GATE_OPEN,
		.next = 1,
		.head = 1,
		.pace = { .rate = PACE_FIRST },
	};
}

int64_t
gate_pause(const struct gate *gate, const struct policy *policy,
    struct random *random, int64_t stated_ns)
{
	struct policy limited = *policy;
	struct schedule schedule;
	int64_t failures
	    = gate->state == GATE_SHUT ? (int64_t)gate->probes + 2 : 1;

	if (stated_ns > 0)
		return random_between(random, stated_ns,
		    saturating_add(stated_ns, policy->base_ns));
	limited.cap_ns = min_ns(policy->cap_ns, GATE_DUE_NS);
	limited.floor_ns = min_ns(policy->floor_ns, limited.cap_ns);
	limited.slot_ns = min_ns(policy->slot_ns, limited.cap_ns);
	schedule = schedule_start(&limited, random);
	/* What it draws next depends on what it has drawn. */
	if (policy->jitter.kind == JITTER_DECORRELATED)
		for (int64_t n = 1; n < min_ns(failures, MOST_DRAWS); n++)
			schedule_draw(&schedule, n, false);
	return min_ns(schedule_draw(&schedule, failures, false), GATE_DUE_NS);
}

static void
enter(struct gate *gate, enum gate_state state, int64_t now_ns)
{
	gate->state = state;
	gate->since_ns = now_ns;
	gate->row = (struct gate_row) { .longest_ns = gate->row.longest_ns };
	gate->probers_count = 0;
	gate->told = 0;
	gate->window = (struct pace_count) { 0 };
}

static void
begin_pacing(struct gate *gate, int64_t now_ns)
{
	enter(gate, GATE_PACED, now_ns);
	pace_begin(&gate->pace, now_ns);
	/* Never at once: a limit without burst refuses what follows closely. */
	gate->head_ns = now_ns + pace_gap_ns(&gate->pace);
}

/* So many PROBES have failed, ATTEMPT last: the next is due after its pause. */
static void
put_off_probe(
    struct gate *gate, uint32_t probes, const struct gate_attempt *attempt)
{
	gate->probes = probes;
	gate->due_ns
	    = attempt->ended_ns + min_ns(attempt->pause_ns, GATE_STATED_NS);
	gate->stated = attempt->stated_ns > 0;
	text_copy(gate->reason, sizeof gate->reason, attempt->reason);
}

/* Nobody waits, or fails in a row, and nobody was refused for a while. */
static bool
is_idle(const struct gate *gate, int64_t now_ns)
{
	bool in_row = gate->row.failures > 0
	    && now_ns - gate->row.last_ns <= ROW_ENDS_NS;

	return gate->head == gate->next && !in_row
	    && now_ns - max_ns(gate->pace.refused_ns, gate->since_ns)
	    > EMPTY_NS;
}

void
gate_pass_time(struct gate *gate, int64_t now_ns)
{
	while (gate->state == GATE_PACED) {
		int64_t end_ns = gate->pace.second_ns + NS_PER_S;
		int64_t gap_ns = pace_gap_ns(&gate->pace);

		/* Starts the runs whose time has come. */
		while (gate->head < gate->next
		    && gate->head_ns <= min_ns(now_ns, end_ns)) {
			gate->head++;
			gate->head_ns += gap_ns;
			pace_start(&gate->pace);
		}
		if (now_ns < end_ns)
			break;
		pace_end_second(&gate->pace);
		if (gate->pace.rate > OPEN_RATE || is_idle(gate, end_ns)) {
			enter(gate, GATE_OPEN, end_ns);
			gate->head = gate->next;
			gate->reason[0] = '\0';
		}
	}
}

/* When one more run may probe, beside those that do. */
static int64_t
next_probe_ns(const struct gate *gate)
{
	int64_t patience_ns
	    = max_ns(PROBE_NS, saturating_multiply(gate->row.longest_ns, 2));
	int doublings = 0;

	if (gate->probers_count == 0)
		return gate->due_ns;
	if (gate->probers_count == GATE_MOST_PROBERS)
		return INT64_MAX;
	while (1 << doublings <= gate->probers_count)
		doublings++;
	/* A probe that hangs spares the others no pause after a failure. */
	return max_ns(gate->due_ns,
	    saturating_add(
	        gate->probe_ns, saturating_multiply(patience_ns, doublings)));
}

void
gate_forget_dead(struct gate *gate, uint8_t living)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < gate->probers_count; i++)
		if (living & (1U << i))
			gate->probers[kept++] = gate->probers[i];
	gate->probers_count = kept;
}

int
gate_find_prober(const struct gate *gate, uint64_t ticket)
{
	int i = ticket != 0 ? gate->probers_count - 1 : -1;

	while (i >= 0 && gate->probers[i] != ticket)
		i--;
	return i;
}

bool
gate_is_deserted(const struct gate *gate, int64_t now_ns)
{
	return gate->state == GATE_SHUT
	    && now_ns >= saturating_add(next_probe_ns(gate), DESERTED_NS);
}

bool
gate_wait_counts(const struct gate *gate, int64_t now_ns)
{
	int64_t ran_ns = now_ns - gate->probe_ns;
	int64_t failure_ns = saturating_multiply(gate->row.longest_ns, 2);
	/* A probe that outlives the failures may be a long job, or hang. */
	bool promises = gate->probers_count > 0
	    && ran_ns >= max_ns(PROMISE_NS, failure_ns)
	    && ran_ns < MOST_PROMISE_NS;

	return gate->state == GATE_SHUT
	    && !(gate->stated && now_ns < gate->due_ns) && !promises;
}

static int64_t
place_of(const struct gate *gate, uint64_t ticket)
{
	return ticket > gate->head ? (int64_t)(ticket - gate->head) : 0;
}

static struct gate_answer
look_at_shut(struct gate *gate, int64_t now_ns, uint64_t ticket)
{
	int64_t place = place_of(gate, ticket);
	int64_t may_ns = saturating_add(next_probe_ns(gate),
	    min_ns(saturating_multiply(PLACE_NS, place), PLACES_NS));
	int64_t least_ns
	    = gate->probers_count > 0 ? LOOK_PROBE_NS : LOOK_LEAST_NS;
	int64_t look_ns = min_ns(LOOK_MOST_NS,
	    max_ns(least_ns, pace_soonest_ns(&gate->pace, place)));

	if (now_ns < may_ns)
		return (struct gate_answer) { ticket,
			min_ns(may_ns, saturating_add(now_ns, look_ns)) };
	if (gate->probers_count == 0)
		gate->probe_ns = now_ns;
	gate->probers[gate->probers_count++] = ticket;
	if (ticket == gate->head)
		gate->head++;
	return (struct gate_answer) { .ticket = ticket };
}

static struct gate_answer
look_at_paced(const struct gate *gate, uint64_t ticket)
{
	int64_t ahead_ns = saturating_multiply(
	    pace_gap_ns(&gate->pace), place_of(gate, ticket));
	int64_t go_ns = saturating_add(gate->head_ns, ahead_ns);
	int64_t end_ns = gate->pace.second_ns + NS_PER_S;

	if (ticket < gate->head)
		return (struct gate_answer) { .ticket = 0 };
	/*
	 * The rate changes at the end of a second, and doubles at most. Not all
	 * look then at once: they would delay those who start.
	 */
	if (go_ns > end_ns)
		go_ns = end_ns + min_ns(NS_PER_S, (go_ns - end_ns) / 2);
	return (struct gate_answer) { ticket, go_ns };
}

struct gate_answer
gate_look(struct gate *gate, int64_t now_ns, uint64_t ticket)
{
	gate_pass_time(gate, now_ns);
	if (gate->state == GATE_OPEN)
		return (struct gate_answer) { .ticket = 0 };
	if (ticket == 0 || ticket >= gate->next) {
		if (gate->head == gate->next)
			gate->head_ns = max_ns(gate->head_ns, now_ns);
		ticket = gate->next++;
		gate_pass_time(gate, now_ns);
	}
	/* If it is open since a moment, each ticket has started. */
	return gate->state == GATE_SHUT ? look_at_shut(gate, now_ns, ticket)
	                                : look_at_paced(gate, ticket);
}

/* A failure that is no refusal. True: the row shuts the gate. */
static bool
add_to_row(struct gate *gate, const struct gate_attempt *attempt)
{
	struct gate_row *row = &gate->row;
	int64_t took_ns = max_ns(attempt->ended_ns - attempt->began_ns, 0);
	bool long_enough;

	if (attempt->ended_ns - row->last_ns > ROW_ENDS_NS)
		*row = (struct gate_row) { 0 };
	if (row->failures == 0) {
		row->first_ns = attempt->ended_ns;
		row->longest_ns = 0;
	} else if (row->last_run != attempt->run) {
		row->two_runs = true;
	}
	row->failures++;
	row->last_run = attempt->run;
	row->last_ns = attempt->ended_ns;
	row->longest_ns = max_ns(row->longest_ns, took_ns);
	long_enough = row->last_ns - row->first_ns
	    >= (attempt->is_of_machine ? FLEET_ROW_NS : ROW_NS);
	if (!row->two_runs)
		return false;
	return gate->state == GATE_PACED
	    ? row->failures >= PACED_ROW && long_enough
	    : (row->failures >= ROW && long_enough)
	        || row->failures >= ROW_AT_ONCE;
}

/* Counts a result at an open gate, if that is done: from a refusal on. */
static bool
add_to_window(struct gate *gate, int64_t now_ns, bool refused)
{
	struct pace_count *window = &gate->window;

	if (window->starts == 0 || now_ns - gate->window_ns > WINDOW_NS) {
		if (!refused)
			return false;
		gate->window_ns = now_ns;
		*window = (struct pace_count) { 0 };
	}
	window->starts++;
	window->bad += refused;
	return true;
}

/* Counts who is told to wait, in a row. True: the quota is used up. */
static bool
is_quota_used_up(struct gate *gate, const struct gate_attempt *attempt)
{
	int64_t took_ns = gate->took_ns > 0 ? gate->took_ns : TOOK_NS;

	/* A try asks for more than there is, so its refusals say nothing. */
	if (attempt->stated_ns == 0 || gate->pace.phase == PACE_TRYING)
		return false;
	if (gate->told == 0) {
		gate->told_ns = attempt->ended_ns;
		gate->told_run = attempt->run;
	}
	gate->told++;
	return gate->state == GATE_PACED && gate->told >= QUOTA_TOLD
	    && attempt->run != gate->told_run
	    && attempt->began_ns >= gate->told_ns + took_ns + took_ns / 2;
}

static bool
end_well(struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	bool is_counted
	    = gate->state == GATE_OPEN && add_to_window(gate, now_ns, false);

	if (gate->state == GATE_SHUT) {
		begin_pacing(gate, now_ns);
	} else {
		if (gate->row.failures == 0 && gate->told == 0 && !is_counted)
			return false;
		gate->row = (struct gate_row) { 0 };
		if (attempt->began_ns >= gate->told_ns)
			gate->told = 0;
	}
	gate->took_ns = attempt->ended_ns - attempt->began_ns;
	return true;
}

/* A failure, or refusal, at a gate that is not shut. */
static void
fail(struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	const struct pace_count *window = &gate->window;
	bool refused = attempt->outcome == GATE_REFUSAL;
	bool shuts = refused ? is_quota_used_up(gate, attempt)
	                     : add_to_row(gate, attempt);

	if (refused)
		gate->pace.refused_ns = now_ns;
	if (gate->state == GATE_PACED && refused) {
		pace_refused(
		    &gate->pace, now_ns, attempt->began_ns, attempt->stated_ns);
	} else if (gate->state == GATE_PACED) {
		gate->pace.look.bad += attempt->began_ns >= gate->pace.kept_ns;
	} else if (add_to_window(gate, now_ns, refused) && refused
	    && window->bad >= WINDOW_REFUSALS
	    && window->bad >= (pace_base(&gate->pace, now_ns) + WINDOW_SHARE)
	            * window->starts) {
		text_copy(gate->reason, sizeof gate->reason, attempt->reason);
		gate->pace.stated_ns = attempt->stated_ns;
		begin_pacing(gate, now_ns);
	}
	if (shuts) {
		enter(gate, GATE_SHUT, now_ns);
		put_off_probe(gate, 0, attempt);
	}
}

bool
gate_result(
    struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	int prober;
	bool probed, was_shut;

	gate_pass_time(gate, now_ns);
	was_shut = gate->state == GATE_SHUT;
	prober = gate_find_prober(gate, attempt->ticket);
	probed = prober >= 0;
	if (probed)
		gate_forget_dead(gate, (uint8_t) ~(1U << prober));
	if (attempt->outcome == GATE_NEUTRAL) {
		if (probed)
			gate->due_ns = min_ns(gate->due_ns, now_ns);
		return probed;
	}
	if (attempt->outcome == GATE_BY_HAND) {
		if (was_shut)
			begin_pacing(gate, now_ns);
		return was_shut;
	}
	if (attempt->outcome == GATE_SUCCESS)
		return end_well(gate, now_ns, attempt);
	if (was_shut) {
		if (!probed)
			return false;
		put_off_probe(gate, gate->probes + 1, attempt);
		gate->row.longest_ns = max_ns(gate->row.longest_ns,
		    attempt->ended_ns - attempt->began_ns);
		return true;
	}
	if (attempt->began_ns < gate->since_ns)
		return false;
	fail(gate, now_ns, attempt);
	return true;
}

struct gate_effect
gate_effect(
    const struct gate *gate, const struct gate_attempt *attempt, bool probed)
{
	/* A wait that was stated to this run still holds for it. */
	bool is_covered = attempt->stated_ns == 0
	    || gate->due_ns >= attempt->ended_ns + attempt->stated_ns;

	if (attempt->outcome != GATE_FAILURE
	    && attempt->outcome != GATE_REFUSAL)
		return (struct gate_effect) { .waits_at_gate = false };
	return (struct gate_effect) {
		.waits_at_gate = gate->state == GATE_SHUT && is_covered,
		.probe.number = probed ? max_ns(gate->probes, 1) : 0,
		.keeps_windows = probed || gate->state == GATE_PACED,
	};
}
