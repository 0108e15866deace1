/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/duration.h"
#include "core/gate.h"
#include "core/shared_name.h"
#include "core/text.h"
#include "fleet/owner.h"
#include "fleet/server.h"
#include "fleet/turn_lease.h"
#include "process/clock.h"

/* The longest that a wait takes before it is looked at again. */
#define MOST_WAIT_NS LEASE_NS
#define LEAST_WAIT_NS (50 * NS_PER_MS)

/* Who has taken the item takes the turn long before that. */
#define ITEM_NS NS_PER_S

static char gate_key[SHARED_NAME_SIZE + 24], turn_key[SHARED_NAME_SIZE + 24],
    next_key[SHARED_NAME_SIZE + 24];
static struct gate_run self;
static int64_t held_until_ns, renew_ns; /* of CLOCK_MONOTONIC */
static bool has_item; /* of the list */
static int64_t free_since_ns; /* the turn is nobody's; 0: it is not so */
static int64_t wait_ns;

/* What the server has, as last read. */
static struct gate_record record;
static int64_t now_ns;
static uint32_t lease_turn; /* that the lease is for; 0: there is none */
static bool lease_is_ours;
static int64_t lease_left_ns;

static void
make_key(char *room, const char *name, const char *what)
{
	struct text text = text_in(room, sizeof gate_key);

	text_add(&text, "backoff:{");
	text_add(&text, name);
	text_add(&text, what);
}

void
turn_lease_start(const char *name, uint64_t machine, int64_t patience_ns)
{
	make_key(gate_key, name, "}:gate");
	make_key(turn_key, name, "}:turn");
	make_key(next_key, name, "}:next");
	self = (struct gate_run) { .id = machine, .patience_ns = patience_ns };
}

void
turn_lease_forget(void)
{
	self.turn = 0;
	has_item = false;
	free_since_ns = 0;
}

static bool
bytes_of(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_STRING
	    || reply->type == REDIS_REPLY_NIL;
}

static void
read_lease(const redisReply *reply)
{
	char *end = NULL;

	lease_turn = 0;
	lease_is_ours = false;
	if (reply->type != REDIS_REPLY_STRING)
		return;
	lease_turn = (uint32_t)strtoul(reply->str, &end, 10);
	lease_is_ours = *end == ' ' && strcmp(end + 1, owner) == 0;
}

/* Reads RECORD and the lease from reply FIRST on: TIME MGET, and PTTL. */
static bool
read_replies(int first)
{
	const redisReply *both = server_reply(first + 1);
	uint8_t bytes[GATE_RECORD_SIZE] = { 0 };

	if (!server_take_time(server_reply(first), &now_ns))
		return false;
	if (both->type != REDIS_REPLY_ARRAY || both->elements != 2
	    || !bytes_of(both->element[0]) || !bytes_of(both->element[1]))
		return server_fail("it does not answer as Redis does");
	/* What is damaged is as new. */
	if (both->element[0]->type == REDIS_REPLY_STRING
	    && both->element[0]->len == GATE_RECORD_SIZE)
		memcpy(bytes, both->element[0]->str, sizeof bytes);
	gate_decode(&record, bytes, now_ns);
	read_lease(both->element[1]);
	return true;
}

/* What is there, for a transaction on it. */
static bool
watch(bool takes_item)
{
	int64_t left_ms;

	if (!server_connect())
		return false;
	server_add("WATCH %s", gate_key);
	server_add("TIME");
	server_add("MGET %s %s", gate_key, turn_key);
	server_add("PTTL %s", turn_key);
	if (takes_item)
		server_add("LPOP %s", next_key);
	if (!server_run() || !read_replies(1))
		return false;
	if (takes_item && server_reply(4)->type == REDIS_REPLY_STRING)
		has_item = true;
	server_number(server_reply(3), &left_ms);
	lease_left_ns = max_ns(left_ms, 0) * NS_PER_MS;
	return true;
}

static void
add_record(void)
{
	uint8_t bytes[GATE_RECORD_SIZE];

	gate_encode(&record, bytes);
	server_add("SET %s %b EX %d", gate_key, bytes, sizeof bytes, KEEP_S);
}

/* Nobody has the turn: who waits longest may have it. */
static void
add_item(bool with_lease)
{
	if (with_lease)
		server_add("DEL %s %s", turn_key, next_key);
	else
		server_add("DEL %s", next_key);
	server_add("RPUSH %s 1", next_key);
	server_add("EXPIRE %s %d", next_key, KEEP_S);
	has_item = false;
}

/* "NUMBER OWNER" */
static const char *
lease_value(void)
{
	static char value[OWNER_SIZE + 16];
	struct text text = text_in(value, sizeof value);

	text_number(&text, self.turn);
	text_byte(&text, ' ');
	text_add(&text, owner);
	return value;
}

static void
is_renewed(void)
{
	held_until_ns = clock_now_ns() + LEASE_NS;
	renew_ns = clock_now_ns() + RENEW_NS;
}

enum result {
	FAILED,
	DONE,
	CROSSED, /* by another: to be decided anew */
};

static enum result
commit(void)
{
	server_add("EXEC");
	if (!server_run())
		return FAILED;
	for (int i = 0; i < SERVER_REPLIES && server_reply(i) != NULL; i++)
		if (server_reply(i)->type == REDIS_REPLY_NIL)
			return CROSSED;
	return DONE;
}

/* Without the turn. Who has an item hands it on. */
static enum result
start(const struct gate_decision *decision)
{
	if (!decision->changed && !has_item)
		return DONE;
	server_add("MULTI");
	if (decision->changed)
		add_record();
	if (has_item)
		add_item(false);
	return commit();
}

/* With the turn of the record's number, which is nobody else's. */
static enum result
go_on(struct gate_decision *decision)
{
	enum result result;
	bool keeps;

	*decision = gate_ask(&record, now_ns, &self);
	keeps = decision->kind != GATE_START;
	server_add("MULTI");
	add_record();
	if (keeps)
		server_add(
		    "SET %s %s PX %d", turn_key, lease_value(), LEASE_MS);
	else
		add_item(true);
	result = commit();
	if (result != DONE || !keeps)
		self.turn = 0;
	else
		is_renewed();
	has_item = has_item && result != DONE;
	return result;
}

static enum result
take(struct gate_decision *decision)
{
	self.turn = record.turn;
	self.turn_ns = now_ns;
	free_since_ns = 0;
	return go_on(decision);
}

/* Another has the turn: has it had it for too long? */
static enum result
wait_for_holder(struct gate_decision *decision)
{
	struct gate_run waiter = self;
	int64_t overdue_ns = gate_overdue_ns(&record);

	free_since_ns = 0;
	has_item = false;
	waiter.turn = record.turn;
	*decision = gate_pass_over(&record, now_ns, &waiter);
	if (decision->kind == GATE_TAKE)
		return take(decision);
	if (decision->kind == GATE_START)
		return start(decision);
	wait_ns = min_ns(lease_left_ns, overdue_ns - now_ns);
	return DONE;
}

static enum result
join(struct gate_decision *decision)
{
	int64_t mono_ns = clock_now_ns();

	*decision = gate_ask(&record, now_ns, &self);
	if (decision->kind == GATE_START)
		return start(decision);
	if (lease_turn == record.turn)
		return wait_for_holder(decision);
	if (free_since_ns == 0)
		free_since_ns = mono_ns;
	wait_ns = free_since_ns + ITEM_NS - mono_ns;
	if (!has_item && wait_ns > 0)
		return DONE;
	record.turn = record.turn == UINT32_MAX ? 1 : record.turn + 1;
	return take(decision);
}

/* The turn that we have had. */
static enum result
hold(struct gate_decision *decision)
{
	if (record.turn != self.turn || !lease_is_ours) {
		*decision = (struct gate_decision) { .kind = GATE_LOST,
			.was = record.state };
		self.turn = 0;
		return DONE;
	}
	return go_on(decision);
}

static void
answer_gate(struct fleet_line *answer, const struct gate_decision *decision)
{
	*answer = (struct fleet_line) { .word = FLEET_GATE,
		.numbers
		= { decision->kind, decision->was, decision->until_ns, now_ns },
		.records_count = 1 };
	gate_encode(&record, answer->records[0]);
}

static bool
decide(struct fleet_line *answer, bool takes_item)
{
	struct gate_decision decision;

	for (int i = 0; i < TRIES; i++) {
		if (!watch(takes_item && !has_item && self.turn == 0))
			return false;
		switch (self.turn != 0 ? hold(&decision) : join(&decision)) {
		case FAILED:
			return false;
		case DONE:
			answer_gate(answer, &decision);
			return true;
		case CROSSED:
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

	if (!server_connect())
		return false;
	server_add("TIME");
	server_add("MGET %s %s", gate_key, turn_key);
	if (!server_run() || !read_replies(0))
		return false;
	decision = gate_ask(&record, now_ns, &self);
	if (decision.changed)
		return decide(answer, false);
	answer_gate(answer, &decision);
	return true;
}

bool
turn_lease_await(struct fleet_line *answer, int other, bool *interrupted)
{
	char limit[32];
	struct text text = text_in(limit, sizeof limit);

	*interrupted = false;
	if (self.turn != 0 || has_item)
		return decide(answer, false);
	if (!server_connect())
		return false;
	wait_ns = max_ns(min_ns(wait_ns, MOST_WAIT_NS), LEAST_WAIT_NS);
	text_number(&text, wait_ns / NS_PER_S);
	text_byte(&text, '.');
	text_digits(&text, wait_ns % NS_PER_S / NS_PER_MS, 3);
	server_add("UNWATCH");
	server_add("BLPOP %s %s", next_key, limit);
	switch (server_block(wait_ns, other)) {
	case SERVER_FAILED:
		return false;
	case SERVER_INTERRUPTED:
		*interrupted = true;
		return true;
	case SERVER_REPLIED:
		break;
	}
	has_item = server_reply(1)->type == REDIS_REPLY_ARRAY;
	return decide(answer, false);
}

/* What the attempt of BEGAN and so on has made of the gate. */
static enum result
note(const struct fleet_line *asked, struct gate_record *before, bool *is_lost)
{
	const struct gate_attempt attempt = {
		.outcome = (enum gate_outcome)asked->numbers[0],
		.began_ns = max_ns(now_ns - asked->numbers[1], 0),
		.ended_ns = max_ns(now_ns - asked->numbers[2], 0),
		.hint_ns = asked->numbers[3] > 0
		    ? saturating_add(now_ns, asked->numbers[3])
		    : 0,
		.pause_ns = asked->numbers[4],
		.reason = asked->text,
	};
	bool has_lease = self.turn != 0 && lease_is_ours;
	struct gate_decision decision;

	*before = record;
	*is_lost = self.turn != 0
	    && (record.turn != self.turn || (lease_turn != 0 && !has_lease));
	decision = gate_end(&record, now_ns, &self, &attempt);
	if (!decision.changed && !has_lease)
		return DONE;
	server_add("MULTI");
	if (decision.changed)
		add_record();
	if (has_lease || record.state != before->state)
		add_item(has_lease);
	return commit();
}

bool
turn_lease_end(const struct fleet_line *asked, struct fleet_line *answer)
{
	struct gate_record before;
	bool is_lost = false;
	enum result result = CROSSED;

	for (int i = 0; i < TRIES && result == CROSSED; i++)
		result = watch(false) ? note(asked, &before, &is_lost) : FAILED;
	self.turn = 0;
	if (result == CROSSED)
		return server_fail("too many others write there");
	if (result == FAILED)
		return false;
	*answer = (struct fleet_line) { .word = FLEET_ENDED,
		.numbers = { is_lost, now_ns },
		.records_count = 2 };
	gate_encode(&before, answer->records[0]);
	gate_encode(&record, answer->records[1]);
	return true;
}

bool
turn_lease_cancel(void)
{
	const struct fleet_line nothing = { .numbers = { GATE_NO_NEWS } };
	struct fleet_line answer;

	if (has_item && self.turn == 0 && server_connect()) {
		server_add("MULTI");
		add_item(false);
		commit();
	}
	return self.turn == 0 || turn_lease_end(&nothing, &answer);
}

int64_t
turn_lease_renewal_ns(void)
{
	return self.turn != 0 ? renew_ns : INT64_MAX;
}

/* Whose lease it is, which this has made longer whoever has it. */
static bool
ask_for_lease(void)
{
	if (!server_connect())
		return false;
	server_add("GETEX %s PX %d", turn_key, LEASE_MS);
	if (!server_run())
		return false;
	if (server_reply(0)->type != REDIS_REPLY_NIL)
		return true;
	/* It was too late, or the server began anew, and nobody has it. */
	server_add("SET %s %s NX PX %d", turn_key, lease_value(), LEASE_MS);
	server_add("GET %s", turn_key);
	return server_run();
}

void
turn_lease_renew(bool holder_lives)
{
	int last;

	renew_ns = clock_now_ns() + RETRY_NS;
	if (!holder_lives)
		return;
	if (!ask_for_lease()) {
		/* It has run out: what follows finds it so. */
		if (clock_now_ns() >= held_until_ns)
			renew_ns = INT64_MAX;
		return;
	}
	last = server_reply(1) != NULL;
	read_lease(server_reply(last));
	if (lease_is_ours)
		is_renewed();
	else
		renew_ns = INT64_MAX;
}
