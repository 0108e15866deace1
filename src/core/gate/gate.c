/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/gate/gate.h"

/* So many failures in a row shut an open gate, over this time or at once; */
#define ROW 3
#define ROW_NS NS_PER_S
#define ROW_AT_ONCE 20
/* ... a paced one. A failure this long after the one before begins a row. */
#define PACED_ROW 10
#define ROW_ENDS_NS (5 * NS_PER_MIN)

/* At an open gate refusals are counted for so long, and so many pace it. */
#define WINDOW_NS (10 * NS_PER_S)
#define WINDOW_REFUSALS 3
#define WINDOW_SHARE 0.15

/* So many in a row told to wait shut it until then. */
#define TOLD 3
#define TOOK_NS NS_PER_S

/* A probe may last this long, or twice the longest failure. */
#define PROBE_NS (10 * NS_PER_S)
#define PROMISE_NS NS_PER_S

/* Who stands further behind looks later for a probe that is due. */
#define PLACE_NS (20 * NS_PER_MS)
#define PLACES_NS (3 * NS_PER_S)

/* A probe that nobody has taken for so long is taken by who does not wait. */
#define DESERTED_NS (30 * NS_PER_S)

/* How often who waits looks. */
#define LOOK_LEAST_NS NS_PER_S
#define LOOK_PROBE_NS (NS_PER_S / 4)
#define LOOK_MOST_NS (10 * NS_PER_S)

/* Nobody waits, and nobody was refused for so long: the gate opens. */
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
gate_next_failure(const struct gate *gate)
{
	return gate->state == GATE_SHUT ? (int64_t)gate->probes + 2 : 1;
}

static void
enter(struct gate *gate, enum gate_state state, int64_t now_ns)
{
	gate->state = state;
	gate->since_ns = gate->changed_ns = now_ns;
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

static void
open_gate(struct gate *gate, int64_t now_ns)
{
	enter(gate, GATE_OPEN, now_ns);
	gate->head = gate->next;
	gate->reason[0] = '\0';
}

static void
shut(struct gate *gate, int64_t now_ns, int64_t due_ns, bool stated)
{
	enter(gate, GATE_SHUT, now_ns);
	gate->probes = 0;
	gate->due_ns = due_ns;
	gate->stated = stated;
}

/* Starts who may start by UNTIL_NS. */
static void
move_head(struct gate *gate, int64_t until_ns)
{
	int64_t gap_ns = pace_gap_ns(&gate->pace);

	while (gate->head < gate->next && gate->head_ns <= until_ns) {
		gate->head++;
		gate->head_ns += gap_ns;
		pace_start(&gate->pace);
	}
}

/* Those who fail one after the other are not free to go yet. */
static bool
is_in_row(const struct gate *gate, int64_t now_ns)
{
	return gate->row.failures > 0
	    && now_ns - gate->row.last_ns <= ROW_ENDS_NS;
}

void
gate_pass_time(struct gate *gate, int64_t now_ns)
{
	while (gate->state == GATE_PACED) {
		int64_t end_ns = gate->pace.second_ns + NS_PER_S;

		move_head(gate, min_ns(now_ns, end_ns));
		if (now_ns < end_ns)
			break;
		pace_end_second(&gate->pace);
		if (gate->pace.rate > OPEN_RATE
		    || (gate->head == gate->next && !is_in_row(gate, end_ns)
		        && end_ns
		                - max_ns(gate->pace.refused_ns, gate->since_ns)
		            > EMPTY_NS))
			open_gate(gate, end_ns);
	}
}

static int64_t
probe_patience_ns(const struct gate *gate)
{
	return max_ns(PROBE_NS, saturating_multiply(gate->row.longest_ns, 2));
}

/* When one more may probe, beside those that do. */
static int64_t
next_probe_ns(const struct gate *gate)
{
	int64_t patience_ns = probe_patience_ns(gate);
	int doublings = 0;

	if (gate->probers_count == 0)
		return gate->due_ns;
	if (gate->probers_count == GATE_MOST_PROBERS)
		return INT64_MAX;
	while (1 << doublings <= gate->probers_count)
		doublings++;
	return saturating_add(
	    gate->probe_ns, saturating_multiply(patience_ns, doublings));
}

void
gate_bury(struct gate *gate, uint8_t living)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < gate->probers_count; i++)
		if (living & (1U << i))
			gate->probers[kept++] = gate->probers[i];
	gate->probers_count = kept;
}

static bool
forget_prober(struct gate *gate, uint64_t ticket)
{
	for (uint8_t i = 0; i < gate->probers_count; i++)
		if (gate->probers[i] == ticket) {
			gate_bury(gate, (uint8_t) ~(1U << i));
			return true;
		}
	return false;
}

bool
gate_is_probed_by(const struct gate *gate, uint64_t ticket)
{
	for (int i = 0; i < gate->probers_count; i++)
		if (gate->probers[i] == ticket)
			return true;
	return false;
}

bool
gate_is_deserted(const struct gate *gate, int64_t now_ns, uint8_t living)
{
	struct gate seen = *gate;

	gate_bury(&seen, living);
	return gate->state == GATE_SHUT
	    && now_ns >= saturating_add(next_probe_ns(&seen), DESERTED_NS);
}

/*
 * A probe that outlives the failures is a sign that the service is up: it may
 * be a long job. But as many as may probe may also hang.
 */
static bool
probe_promises(const struct gate *gate, int64_t now_ns)
{
	int64_t ran_ns = now_ns - gate->probe_ns;
	int64_t failure_ns = saturating_multiply(gate->row.longest_ns, 2);
	int64_t all_ns = saturating_multiply(probe_patience_ns(gate), 4);

	return gate->probers_count > 0
	    && ran_ns >= max_ns(PROMISE_NS, failure_ns)
	    && (gate->probers_count < GATE_MOST_PROBERS || ran_ns < all_ns);
}

bool
gate_keeps_waiting(const struct gate *gate, int64_t now_ns)
{
	return gate->state == GATE_SHUT
	    && !(gate->stated && now_ns < gate->due_ns)
	    && !probe_promises(gate, now_ns);
}

static uint64_t
place_of(const struct gate *gate, uint64_t ticket)
{
	return ticket > gate->head ? ticket - gate->head : 0;
}

static struct gate_answer
look_at_shut(struct gate *gate, int64_t now_ns, uint64_t ticket)
{
	struct gate_answer answer = { .kind = GATE_WAIT, .ticket = ticket };
	uint64_t place = place_of(gate, ticket);
	int64_t behind_ns
	    = min_ns(saturating_multiply(PLACE_NS, (int64_t)place), PLACES_NS);
	int64_t may_ns = saturating_add(next_probe_ns(gate), behind_ns);
	int64_t least_ns
	    = gate->probers_count > 0 ? LOOK_PROBE_NS : LOOK_LEAST_NS;

	if (now_ns >= may_ns) {
		if (gate->probers_count == 0)
			gate->probe_ns = now_ns;
		gate->probers[gate->probers_count++] = ticket;
		if (ticket == gate->head)
			gate->head++;
		answer.kind = GATE_PROBE;
		answer.changed = true;
		return answer;
	}
	answer.until_ns = min_ns(may_ns,
	    saturating_add(now_ns,
	        min_ns(LOOK_MOST_NS,
	            max_ns(least_ns, pace_soonest_ns(&gate->pace, place)))));
	return answer;
}

static struct gate_answer
look_at_paced(const struct gate *gate, uint64_t ticket)
{
	int64_t ahead_ns = saturating_multiply(
	    pace_gap_ns(&gate->pace), (int64_t)place_of(gate, ticket));
	int64_t go_ns = saturating_add(gate->head_ns, ahead_ns);
	int64_t end_ns = gate->pace.second_ns + NS_PER_S;

	if (ticket < gate->head)
		return (struct gate_answer) { .kind = GATE_GO };
	/*
	 * The rate changes at the end of a second, and doubles at most. Not all
	 * look then at once: they would delay those who start.
	 */
	if (go_ns > end_ns)
		go_ns = end_ns + min_ns(NS_PER_S, (go_ns - end_ns) / 2);
	return (struct gate_answer) {
		.kind = GATE_WAIT,
		.ticket = ticket,
		.until_ns = go_ns,
	};
}

struct gate_answer
gate_look(struct gate *gate, int64_t now_ns, const struct gate_visit *visit)
{
	struct gate_answer answer = { .kind = GATE_GO };
	uint64_t ticket = visit->ticket;
	bool taken = false;

	gate_pass_time(gate, now_ns);
	if (gate->state == GATE_OPEN)
		return answer;
	if (ticket == 0 || ticket >= gate->next) {
		if (gate->head == gate->next)
			gate->head_ns = max_ns(gate->head_ns, now_ns);
		ticket = gate->next++;
		taken = true;
		gate_pass_time(gate, now_ns);
	}
	if (gate->state == GATE_SHUT) {
		gate_bury(gate, visit->living);
		answer = look_at_shut(gate, now_ns, ticket);
	} else {
		answer = look_at_paced(gate, ticket);
	}
	answer.changed |= taken;
	return answer;
}

static void
set_reason(struct gate *gate, const char *reason)
{
	struct text text = text_in(gate->reason, sizeof gate->reason);

	text_add(&text, reason);
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
	long_enough
	    = row->last_ns - row->first_ns >= max_ns(ROW_NS, attempt->row_ns);
	if (!row->two_runs)
		return false;
	return gate->state == GATE_PACED
	    ? row->failures >= PACED_ROW && long_enough
	    : (row->failures >= ROW && long_enough)
	        || row->failures >= ROW_AT_ONCE;
}

static bool
counts_results(const struct gate *gate, int64_t now_ns)
{
	return gate->window.starts > 0 && now_ns - gate->window_ns <= WINDOW_NS;
}

/* Counts a result at an open gate. True: so many were refused: pace it. */
static bool
add_to_window(struct gate *gate, int64_t now_ns, bool refused)
{
	struct pace_count *window = &gate->window;

	if (!counts_results(gate, now_ns)) {
		if (!refused)
			return false;
		gate->window_ns = now_ns;
		*window = (struct pace_count) { 0 };
	}
	window->starts++;
	window->bad += refused;
	return window->bad >= WINDOW_REFUSALS
	    && window->bad
	    >= (pace_base(&gate->pace, now_ns) + WINDOW_SHARE) * window->starts;
}

/* Whether the gate shuts, as one after the other is told to wait. */
static bool
is_told(struct gate *gate, const struct gate_attempt *attempt)
{
	int64_t took_ns = gate->took_ns > 0 ? gate->took_ns : TOOK_NS;

	if (gate->told == 0)
		gate->told_ns = attempt->ended_ns;
	gate->told++;
	return gate->state == GATE_PACED && attempt->stated_ns > 0
	    && gate->told >= TOLD
	    && attempt->began_ns >= gate->told_ns + took_ns + took_ns / 2;
}

static bool
end_well(struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	bool news = gate->row.failures > 0 || gate->told > 0;

	if (gate->state == GATE_SHUT) {
		begin_pacing(gate, now_ns);
		gate->took_ns = attempt->ended_ns - attempt->began_ns;
		return true;
	}
	if (gate->state == GATE_OPEN && counts_results(gate, now_ns)) {
		add_to_window(gate, now_ns, false);
		news = true;
	}
	if (!news)
		return false;
	gate->row = (struct gate_row) { 0 };
	if (attempt->began_ns >= gate->told_ns)
		gate->told = 0;
	gate->took_ns = attempt->ended_ns - attempt->began_ns;
	return true;
}

static void
be_refused(
    struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	bool told = is_told(gate, attempt);

	if (gate->state == GATE_OPEN) {
		gate->pace.refused_ns = now_ns;
		if (!add_to_window(gate, now_ns, true))
			return;
		set_reason(gate, attempt->reason);
		gate->pace.stated_ns = attempt->stated_ns;
		begin_pacing(gate, now_ns);
		return;
	}
	pace_refused(
	    &gate->pace, now_ns, attempt->began_ns, attempt->stated_ns);
	if (told) {
		set_reason(gate, attempt->reason);
		shut(gate, now_ns,
		    saturating_add(attempt->ended_ns, attempt->pause_ns), true);
	}
}

static void
fail(struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	int64_t longest_ns;

	if (gate->state == GATE_OPEN)
		add_to_window(gate, now_ns, false);
	else
		pace_failed(&gate->pace, attempt->began_ns);
	if (!add_to_row(gate, attempt))
		return;
	longest_ns = gate->row.longest_ns;
	set_reason(gate, attempt->reason);
	shut(gate, now_ns, saturating_add(attempt->ended_ns, attempt->pause_ns),
	    false);
	gate->row.longest_ns = longest_ns;
}

static void
fail_probe(struct gate *gate, const struct gate_attempt *attempt)
{
	gate->probes++;
	gate->row.longest_ns = max_ns(gate->row.longest_ns,
	    max_ns(attempt->ended_ns - attempt->began_ns, 0));
	gate->due_ns = saturating_add(attempt->ended_ns, attempt->pause_ns);
	gate->stated = attempt->stated_ns > 0;
	set_reason(gate, attempt->reason);
}

bool
gate_result(
    struct gate *gate, int64_t now_ns, const struct gate_attempt *attempt)
{
	bool probed;

	gate_pass_time(gate, now_ns);
	probed = attempt->ticket != 0 && forget_prober(gate, attempt->ticket);
	if (attempt->outcome == GATE_NEUTRAL) {
		if (probed)
			gate->due_ns = min_ns(gate->due_ns, now_ns);
		return probed;
	}
	if (attempt->outcome == GATE_SUCCESS)
		return end_well(gate, now_ns, attempt);
	if (gate->state == GATE_SHUT) {
		if (probed)
			fail_probe(gate, attempt);
		return probed;
	}
	if (attempt->began_ns < gate->changed_ns)
		return false;
	if (attempt->outcome == GATE_REFUSAL)
		be_refused(gate, now_ns, attempt);
	else
		fail(gate, now_ns, attempt);
	return true;
}

bool
gate_reopen(struct gate *gate, int64_t now_ns)
{
	if (gate->state != GATE_SHUT)
		return false;
	begin_pacing(gate, now_ns);
	return true;
}
