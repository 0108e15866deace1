/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/lease.h"
#include "fleet/server.h"
#include "fleet/turn_store.h"

static char gate_key[LEASE_KEY_SIZE], turn_key[LEASE_KEY_SIZE],
    next_key[LEASE_KEY_SIZE];

void
turn_store_start(const char *name)
{
	lease_make_key(gate_key, name, "gate");
	lease_make_key(turn_key, name, "turn");
	lease_make_key(next_key, name, "next");
}

static bool
bytes_of(const redisReply *reply)
{
	return reply->type == REDIS_REPLY_STRING
	    || reply->type == REDIS_REPLY_NIL;
}

static void
read_lease(struct turn_view *view, const redisReply *reply)
{
	char *end = NULL;

	view->lease_turn = 0;
	view->lease_is_ours = false;
	if (reply->type != REDIS_REPLY_STRING)
		return;
	view->lease_turn = (uint32_t)strtoul(reply->str, &end, 10);
	view->lease_is_ours = *end == ' ' && strcmp(end + 1, owner) == 0;
}

/* Reads RECORD and the lease from reply FIRST on: TIME MGET, and PTTL. */
static bool
read_replies(struct turn_view *view, int first)
{
	const redisReply *both = server_reply(first + 1);
	uint8_t bytes[GATE_RECORD_SIZE] = { 0 };

	if (!server_take_time(server_reply(first), &view->now_ns))
		return false;
	if (both->type != REDIS_REPLY_ARRAY || both->elements != 2
	    || !bytes_of(both->element[0]) || !bytes_of(both->element[1]))
		return server_fail("not a Redis server");
	view->is_there = both->element[0]->type != REDIS_REPLY_NIL;
	/* What is damaged is as new. */
	if (both->element[0]->type == REDIS_REPLY_STRING
	    && both->element[0]->len == GATE_RECORD_SIZE)
		memcpy(bytes, both->element[0]->str, sizeof bytes);
	gate_decode(&view->record, bytes, view->now_ns);
	read_lease(view, both->element[1]);
	return true;
}

/* What is there, for a transaction on it. */
bool
turn_store_watch(struct turn_view *view, bool *took_item)
{
	int64_t left_ms;

	if (!server_connect())
		return false;
	server_add("WATCH %s", gate_key);
	server_add("TIME");
	server_add("MGET %s %s", gate_key, turn_key);
	server_add("PTTL %s", turn_key);
	if (took_item != NULL)
		server_add("LPOP %s", next_key);
	if (!server_run() || !read_replies(view, 1))
		return false;
	if (took_item != NULL && server_reply(4)->type == REDIS_REPLY_STRING)
		*took_item = true;
	server_number(server_reply(3), &left_ms);
	/* Without an end it is not one of ours. */
	view->lease_left_ns = left_ms == -1
	    ? LEASE_NS
	    : saturating_multiply(max_ns(left_ms, 0), NS_PER_MS);
	return true;
}

bool
turn_store_look(struct turn_view *view)
{
	if (!server_connect())
		return false;
	server_add("TIME");
	server_add("MGET %s %s", gate_key, turn_key);
	return server_run() && read_replies(view, 0);
}

void
turn_store_add_record(const struct turn_view *view)
{
	uint8_t bytes[GATE_RECORD_SIZE];

	gate_encode(&view->record, bytes);
	server_add("SET %s %b EX %d", gate_key, bytes, sizeof bytes, KEEP_S);
}

void
turn_store_add_item(bool with_lease)
{
	if (with_lease)
		server_add("DEL %s %s", turn_key, next_key);
	else
		server_add("DEL %s", next_key);
	server_add("RPUSH %s 1", next_key);
	server_add("EXPIRE %s %d", next_key, KEEP_S);
}

/* "NUMBER OWNER" */
static const char *
lease_value(uint32_t turn)
{
	static char value[OWNER_SIZE + 16];
	struct text text = text_in(value, sizeof value);

	text_join(&text, NUMBER(turn), " ", owner);
	return value;
}

void
turn_store_add_lease(uint32_t turn)
{
	server_add("SET %s %s PX %d", turn_key, lease_value(turn), LEASE_MS);
}

enum stored
turn_store_commit(void)
{
	server_add("EXEC");
	if (!server_run())
		return STORE_FAILED;
	for (int i = 0; i < SERVER_REPLIES && server_reply(i) != NULL; i++)
		if (server_reply(i)->type == REDIS_REPLY_NIL)
			return STORE_CROSSED;
	return STORE_DONE;
}

bool
turn_store_renew(struct turn_view *view, uint32_t turn)
{
	if (!server_connect())
		return false;
	server_add("GETEX %s PX %d", turn_key, LEASE_MS);
	if (!server_run())
		return false;
	if (server_reply(0)->type != REDIS_REPLY_NIL) {
		read_lease(view, server_reply(0));
		return true;
	}
	/* It was too late, or the server began anew, and nobody has it. */
	server_add("SET %s %s NX PX %d", turn_key, lease_value(turn), LEASE_MS);
	server_add("GET %s", turn_key);
	if (!server_run())
		return false;
	read_lease(view, server_reply(1));
	return true;
}

bool
turn_store_await_item(
    int64_t most_ns, int other, bool *took_item, bool *interrupted)
{
	return server_await_item(
	    next_key, most_ns, other, took_item, interrupted);
}
