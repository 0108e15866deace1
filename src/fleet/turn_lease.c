/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/gate/gate.h"
#include "fleet/lease.h"
#include "fleet/server.h"
#include "fleet/turn_lease.h"
#include "fleet/turn_store.h"
#include "system/clock.h"

/* The longest that a wait takes before it is looked at again. */
#define MOST_WAIT_NS LEASE_NS

/* Who has taken the item takes the turn long before that. */
#define ITEM_NS NS_PER_S

static struct gate_run self;
static struct lease lease;
static bool has_item; /* of the list */
static int64_t free_since_ns; /* the turn is nobody's; 0: it is not so */
static int64_t wait_ns;
static struct turn_view view; /* what the server has, as last read */
static struct gate_record mirror; /* what was seen, by CLOCK_MONOTONIC */

void
turn_lease_start(const char *name, uint64_t machine, int64_t patience_ns)
{
	turn_store_start(name);
	self = (struct gate_run) { .id = machine, .patience_ns = patience_ns };
}

void
turn_lease_forget(void)
{
	self.turn = 0;
	has_item = false;
	free_since_ns = 0;
}

void
turn_lease_keep(void)
{
	if (!turn_store_look(&view) || !view.lease_is_ours)
		return;
	self.turn = view.lease_turn;
	self.turn_ns = view.record.turn_ns;
	lease_begin(&lease);
	lease.renew_ns = clock_now_ns();
}

void
turn_lease_see(const struct fleet_line *asked)
{
	mirror = gate_record_new();
	if (asked->records_count > 0)
		gate_decode(&mirror, asked->records[0], clock_now_ns());
}

/* Whether what the server has is not what this machine has seen of it. */
static bool
is_forgetful(void)
{
	struct gate_record seen = mirror;

	gate_translate(&seen, view.now_ns - clock_now_ns());
	return gate_restore(&view.record, view.is_there, &seen,
	    view.lease_turn != 0 ? view.lease_turn : self.turn, view.now_ns);
}

/* STORE_CROSSED: the server has been given it, and is to be read anew. */
static enum stored
restore(void)
{
	enum stored stored;

	if (!is_forgetful())
		return STORE_DONE;
	server_add("MULTI");
	turn_store_add_record(&view);
	stored = turn_store_commit();
	return stored == STORE_DONE ? STORE_CROSSED : stored;
}

/* Without the turn. Who has an item hands it on. */
static enum stored
start(const struct gate_decision *decision)
{
	enum stored stored;

	if (!decision->changed && !has_item)
		return STORE_DONE;
	server_add("MULTI");
	if (decision->changed)
		turn_store_add_record(&view);
	if (has_item)
		turn_store_add_item(false);
	stored = turn_store_commit();
	has_item = has_item && stored != STORE_DONE;
	return stored;
}

/* With the turn of the record's number, which is nobody else's. */
static enum stored
go_on(struct gate_decision *decision)
{
	enum stored stored;
	bool keeps;

	*decision = gate_ask(&view.record, view.now_ns, &self);
	keeps = decision->kind != GATE_START;
	server_add("MULTI");
	turn_store_add_record(&view);
	if (keeps)
		turn_store_add_lease(self.turn);
	else
		turn_store_add_item(true);
	stored = turn_store_commit();
	if (stored != STORE_DONE)
		return stored;
	has_item = false;
	if (keeps)
		lease_begin(&lease);
	else
		self.turn = 0;
	return stored;
}

static enum stored
take(struct gate_decision *decision)
{
	enum stored stored;

	self.turn = view.record.turn;
	self.turn_ns = view.now_ns;
	free_since_ns = 0;
	stored = go_on(decision);
	if (stored != STORE_DONE)
		self.turn = 0;
	return stored;
}

/* Another has the turn: has it had it for too long? */
static enum stored
wait_for_holder(struct gate_decision *decision)
{
	struct gate_run waiter = self;
	int64_t overdue_ns = gate_overdue_ns(&view.record);

	free_since_ns = 0;
	has_item = false;
	waiter.turn = view.record.turn;
	/* Nobody here can see how the first of two long probes fares. */
	waiter.other_gone = view.now_ns
	    >= saturating_add(view.record.probe_ns, self.patience_ns);
	*decision = gate_pass_over(&view.record, view.now_ns, &waiter);
	if (decision->kind == GATE_TAKE)
		return take(decision);
	if (decision->kind == GATE_START)
		return start(decision);
	wait_ns = min_ns(view.lease_left_ns, overdue_ns - view.now_ns);
	return STORE_DONE;
}

static enum stored
join(struct gate_decision *decision)
{
	int64_t mono_ns = clock_now_ns();

	*decision = gate_ask(&view.record, view.now_ns, &self);
	if (decision->kind == GATE_START)
		return start(decision);
	if (view.lease_turn == view.record.turn)
		return wait_for_holder(decision);
	if (free_since_ns == 0)
		free_since_ns = mono_ns;
	wait_ns = free_since_ns + ITEM_NS - mono_ns;
	if (!has_item && wait_ns > 0)
		return STORE_DONE;
	view.record.turn
	    = view.record.turn == UINT32_MAX ? 1 : view.record.turn + 1;
	return take(decision);
}

/* The turn that we have had. */
static enum stored
hold(struct gate_decision *decision)
{
	if (view.record.turn != self.turn || !view.lease_is_ours) {
		*decision = (struct gate_decision) { .kind = GATE_LOST,
			.was = view.record.state };
		self.turn = 0;
		return STORE_DONE;
	}
	return go_on(decision);
}

static void
answer_gate(struct fleet_line *answer, const struct gate_decision *decision)
{
	*answer = (struct fleet_line) { .word = FLEET_GATE,
		.numbers = { decision->kind, decision->was, decision->until_ns,
		    view.now_ns },
		.records_count = 1 };
	gate_encode(&view.record, answer->records[0]);
}

static bool
decide(struct fleet_line *answer, bool takes_item)
{
	struct gate_decision decision;
	enum stored stored;

	for (int i = 0; i < TRIES; i++) {
		if (!turn_store_watch(&view,
		        takes_item && !has_item && self.turn == 0 ? &has_item
		                                                  : NULL))
			return false;
		stored = restore();
		if (stored == STORE_DONE)
			stored = self.turn != 0 ? hold(&decision)
			                        : join(&decision);
		switch (stored) {
		case STORE_FAILED:
			return false;
		case STORE_DONE:
			answer_gate(answer, &decision);
			return true;
		case STORE_CROSSED:
			break;
		}
	}
	return server_fail("too many others write there");
}

bool
turn_lease_take(struct fleet_line *answer)
{
	return decide(answer, true);
}

bool
turn_lease_look(struct fleet_line *answer)
{
	struct gate_decision decision;

	if (!turn_store_look(&view))
		return false;
	decision = gate_ask(&view.record, view.now_ns, &self);
	if (decision.changed || is_forgetful())
		return decide(answer, false);
	answer_gate(answer, &decision);
	return true;
}

bool
turn_lease_await(struct fleet_line *answer, int other, bool *interrupted)
{
	*interrupted = false;
	if (self.turn != 0 || has_item)
		return decide(answer, false);
	if (!server_connect())
		return false;
	wait_ns = max_ns(min_ns(wait_ns, MOST_WAIT_NS), LEAST_WAIT_NS);
	return turn_store_await_item(wait_ns, other, &has_item, interrupted)
	    && (*interrupted || decide(answer, false));
}

/* What the attempt of BEGAN and so on has made of the gate. */
static enum stored
note(const struct fleet_line *asked, struct gate_record *before, bool *is_lost)
{
	const struct gate_attempt attempt = {
		.outcome = (enum gate_outcome)asked->numbers[0],
		.began_ns = max_ns(view.now_ns - asked->numbers[1], 0),
		.ended_ns = max_ns(view.now_ns - asked->numbers[2], 0),
		.hint_ns = asked->numbers[3] > 0
		    ? saturating_add(view.now_ns, asked->numbers[3])
		    : 0,
		.pause_ns = asked->numbers[4],
		.reason = asked->text,
	};
	bool has_lease = self.turn != 0 && view.lease_is_ours;
	struct gate_decision decision;

	*before = view.record;
	*is_lost = self.turn != 0
	    && (view.record.turn != self.turn
	        || (view.lease_turn != 0 && !has_lease));
	decision = gate_end(&view.record, view.now_ns, &self, &attempt);
	if (!decision.changed && !has_lease)
		return STORE_DONE;
	view.record.is_copy = false;
	server_add("MULTI");
	if (decision.changed)
		turn_store_add_record(&view);
	if (has_lease || view.record.state != before->state)
		turn_store_add_item(has_lease);
	return turn_store_commit();
}

bool
turn_lease_end(const struct fleet_line *asked, struct fleet_line *answer)
{
	struct gate_record before;
	bool is_lost = false;
	enum stored result = STORE_CROSSED;

	for (int i = 0; i < TRIES && result == STORE_CROSSED; i++) {
		result
		    = turn_store_watch(&view, NULL) ? restore() : STORE_FAILED;
		if (result == STORE_DONE)
			result = note(asked, &before, &is_lost);
	}
	self.turn = 0;
	if (result == STORE_CROSSED)
		return server_fail("too many others write there");
	if (result == STORE_FAILED)
		return false;
	*answer = (struct fleet_line) { .word = FLEET_ENDED,
		.numbers = { is_lost, view.now_ns },
		.records_count = 2 };
	gate_encode(&before, answer->records[0]);
	gate_encode(&view.record, answer->records[1]);
	return true;
}

bool
turn_lease_cancel(void)
{
	const struct fleet_line nothing = { .numbers = { GATE_NO_NEWS } };
	struct fleet_line answer;

	free_since_ns = 0;
	if (has_item && self.turn == 0 && server_connect()) {
		server_add("MULTI");
		turn_store_add_item(false);
		turn_store_commit();
		has_item = false;
	}
	return self.turn == 0 || turn_lease_end(&nothing, &answer);
}

bool
turn_lease_open(struct fleet_line *answer)
{
	enum stored result = STORE_CROSSED;
	bool was_shut = true, is_sure;

	for (int i = 0; i < TRIES && result == STORE_CROSSED; i++) {
		*answer = (struct fleet_line) { .word = FLEET_OPENED };
		if (!turn_store_watch(&view, NULL))
			return false;
		text_copy(
		    answer->text, sizeof answer->text, view.record.reason);
		was_shut = gate_open_by_hand(&view.record, view.now_ns);
		/* Else a machine that saw it shut would shut it again. */
		is_sure = view.is_there && !view.record.is_copy;
		if (!was_shut && !is_sure)
			view.record.since_ns = view.now_ns;
		view.record.is_copy = false;
		result = STORE_DONE;
		if (was_shut || !is_sure) {
			server_add("MULTI");
			turn_store_add_record(&view);
			turn_store_add_item(true);
			result = turn_store_commit();
		}
	}
	answer->numbers[0] = was_shut;
	if (result == STORE_CROSSED)
		return server_fail("too many others write there");
	return result == STORE_DONE;
}

int64_t
turn_lease_renewal_ns(void)
{
	return self.turn != 0 ? lease.renew_ns : INT64_MAX;
}

void
turn_lease_renew(bool holder_lives)
{
	lease_try(&lease);
	if (!holder_lives)
		return;
	if (!turn_store_renew(&view, self.turn)) {
		/* It has run out: what follows finds it so. */
		if (lease_has_run_out(&lease))
			lease.renew_ns = INT64_MAX;
		return;
	}
	if (view.lease_is_ours)
		lease_begin(&lease);
	else
		lease.renew_ns = INT64_MAX;
}
