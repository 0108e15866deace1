/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "fleet/lease.h"
#include "fleet/server.h"
#include "fleet/slot_lease.h"
#include "fleet/turn_lease.h"
#include "system/clock.h"

static char slots_key[LEASE_KEY_SIZE], free_key[LEASE_KEY_SIZE];
static int64_t slots; /* how many there are */
static bool is_held, is_lost;
static struct lease lease;
static int64_t wait_ns; /* until the first lease runs out */

void
slot_lease_start(const char *name, int64_t count)
{
	lease_make_key(slots_key, name, "slots");
	lease_make_key(free_key, name, "free");
	slots = count;
}

void
slot_lease_forget(void)
{
	is_lost = is_lost || is_held;
	is_held = false;
}

void
slot_lease_keep(void)
{
	is_held = true;
	is_lost = false;
	lease_begin(&lease);
	lease.renew_ns = clock_now_ns();
}

static long long
ms(int64_t ns)
{
	return (long long)(ns / NS_PER_MS);
}

/* Nobody's lease lasts longer: its clock was set back meanwhile. */
static long long
latest_ms(void)
{
	return ms(server_now_ns() + LEASE_NS + NS_PER_S);
}

/* How many are taken; if that is all, when the first one is free. */
static bool
look(int64_t *taken)
{
	const redisReply *first;
	int64_t until_ms, now_ns;

	if (!server_connect())
		return false;
	server_add("WATCH %s", slots_key);
	server_add("TIME");
	server_add(
	    "ZCOUNT %s %lld %lld", slots_key, ms(server_now_ns()), latest_ms());
	server_add("ZRANGEBYSCORE %s %lld %lld WITHSCORES LIMIT 0 1", slots_key,
	    ms(server_now_ns()), latest_ms());
	if (!server_run() || !server_take_time(server_reply(1), &now_ns))
		return false;
	first = server_reply(3);
	if (!server_number(server_reply(2), taken)
	    || first->type != REDIS_REPLY_ARRAY)
		return server_fail("not a Redis server");
	wait_ns = LEASE_NS;
	if (first->elements == 2 && server_number(first->element[1], &until_ms))
		wait_ns = min_ns(LEASE_NS,
		    saturating_multiply(max_ns(until_ms, 0), NS_PER_MS)
		        - server_now_ns());
	return true;
}

/* *CROSSED: by another, and to be tried again. */
static bool
take_free(bool *crossed)
{
	int64_t now_ns = server_now_ns();

	server_add("MULTI");
	server_add("ZREMRANGEBYSCORE %s -inf (%lld", slots_key, ms(now_ns));
	server_add("ZREMRANGEBYSCORE %s (%lld +inf", slots_key, latest_ms());
	server_add("ZADD %s %lld %s", slots_key, ms(now_ns + LEASE_NS), owner);
	server_add("EXPIRE %s %d", slots_key, KEEP_S);
	server_add("EXEC");
	if (!server_run())
		return false;
	*crossed = server_reply(5)->type == REDIS_REPLY_NIL;
	return true;
}

bool
slot_lease_take(bool *had)
{
	bool crossed = true;
	int64_t taken;

	*had = false;
	for (int i = 0; i < TRIES && crossed; i++) {
		if (!look(&taken))
			return false;
		if (taken >= slots)
			return true;
		if (!take_free(&crossed))
			return false;
	}
	if (crossed)
		return server_fail("too many others write there");
	*had = is_held = true;
	is_lost = false;
	lease_begin(&lease);
	return true;
}

bool
slot_lease_claim(bool *had, int other, bool *interrupted)
{
	*had = *interrupted = false;
	if (!server_connect())
		return false;
	/* A turn that is held has to be renewed meanwhile. */
	wait_ns = min_ns(wait_ns, turn_lease_renewal_ns() - clock_now_ns());
	wait_ns = max_ns(wait_ns, LEAST_WAIT_NS);
	return server_await_item(free_key, wait_ns, other, had, interrupted)
	    && (*interrupted || slot_lease_take(had));
}

bool
slot_lease_free(bool *lost)
{
	const redisReply *all;
	int64_t removed = 0;

	*lost = is_lost;
	is_lost = false;
	if (!is_held)
		return true;
	is_held = false;
	if (!server_connect())
		return false;
	server_add("MULTI");
	server_add("ZREM %s %s", slots_key, owner);
	server_add("RPUSH %s 1", free_key);
	server_add("LTRIM %s %lld -1", free_key, (long long)-slots);
	server_add("EXPIRE %s %d", free_key, KEEP_S);
	server_add("EXEC");
	if (!server_run())
		return false;
	all = server_reply(5);
	if (all->type == REDIS_REPLY_ARRAY && all->elements > 0)
		server_number(all->element[0], &removed);
	*lost = removed == 0;
	return true;
}

int64_t
slot_lease_renewal_ns(void)
{
	return is_held ? lease.renew_ns : INT64_MAX;
}

/* *RENEWED: it was still there. */
static bool
renew(bool *renewed)
{
	int64_t changed = 0, now_ns;

	if (!server_connect())
		return false;
	/* This machine may have been suspended: what time is it there? */
	server_add("TIME");
	if (!server_run() || !server_take_time(server_reply(0), &now_ns))
		return false;
	server_add(
	    "ZADD %s XX CH %lld %s", slots_key, ms(now_ns + LEASE_NS), owner);
	if (!server_run())
		return false;
	server_number(server_reply(0), &changed);
	*renewed = changed > 0;
	return true;
}

void
slot_lease_renew(bool holder_lives)
{
	bool renewed = false;

	lease_try(&lease);
	if (!holder_lives)
		return;
	if (!renew(&renewed)) {
		if (lease_has_run_out(&lease))
			slot_lease_forget();
		return;
	}
	if (renewed) {
		lease_begin(&lease);
		return;
	}
	/* Counted out, or the server began anew: is there still one? */
	if (slot_lease_take(&renewed) && !renewed)
		slot_lease_forget();
}
