/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "fleet/server.h"
#include "fleet/store.h"
#include "system/system.h"

#define KEYS 2 /* a gate's, and that of slots */
#define RENEW_NS (FLEET_LEASE_NS / 3)
#define RETRY_NS NS_PER_S
#define KEPT_S (24 * 3600)

/* Who only looks at a state need not ask for the time each time. */
#define TIME_KEPT_NS (10 * NS_PER_S)

/* Who has just looked knows it still. */
#define LOOKED_NS NS_PER_S

/* What we hold of a key; times are of CLOCK_BOOTTIME. */
static struct held {
	char key[FLEET_KEY_SIZE];
	int64_t member; /* 0: nothing */
	int64_t until_ns; /* nobody else can have it before, and some time on */
	int64_t renew_ns;
	enum fleet_news news;
} all[KEYS];

static struct held *
find(const char *key)
{
	struct held *held = all;

	if (held->key[0] != '\0' && strcmp(held->key, key) != 0)
		held++;
	text_copy(held->key, sizeof held->key, key);
	return held;
}

static void
hold(struct held *held, int64_t member, int64_t since_ns)
{
	held->member = member;
	held->until_ns = since_ns + FLEET_LEASE_NS - RETRY_NS;
	held->renew_ns = since_ns + RENEW_NS;
}

/* A moment as a score: when a lease runs out, in milliseconds. */
static long long
score(int64_t ns)
{
	return (long long)(server_time(ns) / NS_PER_MS);
}

/* Nobody's lease lasts longer: the server's clock was set back meanwhile. */
static long long
latest(int64_t now_ns)
{
	return score(now_ns + FLEET_LEASE_NS + NS_PER_S);
}

/* The state that the reply of that NUMBER has; "-": none of ours. */
static const char *
state(int number)
{
	const char *words = server_string(number);
	size_t length = words != NULL ? strlen(words) : 0;

	return length > 0 && length % 2 == 0 && length < FLEET_STATE_SIZE
	        && strspn(words, "0123456789abcdef") == length
	    ? words
	    : "-";
}

/* Asks for the state, and for what is held by MEMBERS, at NOW_NS. */
static bool
ask(const char *key, const int64_t *members, int64_t now_ns)
{
	/* First the state: who comes after it is counted, and crosses a put. */
	server_add("GET backoff:%s", key);
	if (members[0] > 0)
		server_add("ZCOUNT backoff:%s:held %lld %lld", key,
		    score(now_ns), latest(now_ns));
	for (int i = 0; i < FLEET_MEMBERS && members[i] > 0; i++)
		server_add(
		    "ZSCORE backoff:%s:held %lld", key, (long long)members[i]);
	return server_run();
}

bool
store_look(const struct fleet_line *question, struct text *answer)
{
	struct held *held = find(question->fields[1]);
	const int64_t *members = question->numbers + 2;
	int64_t age_ns = members[0] > 0 ? LOOKED_NS : TIME_KEPT_NS, now_ns,
	        living = 0;

	if (!server_connect(age_ns))
		return false;
	now_ns = boot_clock_ns();
	if (!ask(held->key, members, now_ns))
		return false;
	for (int i = 0; i < FLEET_MEMBERS && members[i] > 0; i++) {
		int64_t until_ms = server_number(2 + i);

		if (until_ms >= score(now_ns) && until_ms <= latest(now_ns))
			living |= INT64_C(1) << i;
	}
	text_join(answer, "found ", NUMBER(server_time(now_ns)), " ",
	    NUMBER(now_ns), " ", NUMBER(held->news), " ", state(0), " ",
	    NUMBER(living), " ", NUMBER(members[0] > 0 ? server_number(1) : 0));
	held->news = FLEET_NO_NEWS;
	return true;
}

/* MEMBER instead of what is held, or nothing. How many commands that takes. */
static int
move_hold(const struct held *held, int64_t member, int64_t now_ns)
{
	const char *key = held->key;
	int count = 0;

	if (held->member > 0) {
		server_add(
		    "ZREM backoff:%s:held %lld", key, (long long)held->member);
		count++;
	}
	if (member == 0)
		return count;
	server_add(
	    "ZREMRANGEBYSCORE backoff:%s:held -inf (%lld", key, score(now_ns));
	server_add(
	    "ZREMRANGEBYSCORE backoff:%s:held (%lld +inf", key, latest(now_ns));
	server_add("ZADD backoff:%s:held %lld %lld", key,
	    score(now_ns + FLEET_LEASE_NS), (long long)member);
	server_add("EXPIRE backoff:%s:held %d", key, KEPT_S);
	return count + 4;
}

/* Makes NEW of the state OLD. *DONE: it was OLD, and nobody has crossed it. */
static bool
change(struct held *held, int64_t member, const char *old, const char *new,
    bool *done)
{
	const char *key = held->key;
	int64_t now_ns;
	int last;

	if (!server_connect(LOOKED_NS))
		return false;
	server_add("WATCH backoff:%s", key);
	server_add("GET backoff:%s", key);
	if (!server_run())
		return false;
	*done = strcmp(state(1), old) == 0;
	if (!*done) {
		server_add("UNWATCH");
		return server_run();
	}
	server_add("MULTI");
	server_add("SET backoff:%s %s EX %d", key, new, KEPT_S);
	now_ns = boot_clock_ns();
	last = 2 + move_hold(held, member, now_ns);
	server_add("EXEC");
	if (!server_run())
		return false;
	*done = server_is_done(last);
	if (*done)
		hold(held, member, now_ns);
	return true;
}

static void
say_done(struct text *answer, struct held *held, bool done)
{
	text_join(answer, "done ", NUMBER(done), " ", NUMBER(held->news));
	held->news = FLEET_NO_NEWS;
}

bool
store_put(const struct fleet_line *question, struct text *answer)
{
	struct held *held = find(question->fields[1]);
	bool done;

	if (!change(held, question->numbers[2], question->fields[3],
	        question->fields[4], &done)) {
		held->member = 0;
		return false;
	}
	say_done(answer, held, done);
	return true;
}

static bool
drop(struct held *held)
{
	int64_t member = held->member;

	held->member = 0;
	if (member == 0)
		return true;
	if (!server_connect(TIME_KEPT_NS))
		return false;
	server_add("ZREM backoff:%s:held %lld", held->key, (long long)member);
	if (!server_run())
		return false;
	if (server_number(0) == 0)
		held->news = FLEET_GONE;
	return true;
}

bool
store_drop(const struct fleet_line *question, struct text *answer)
{
	struct held *held = find(question->fields[1]);

	if (!drop(held))
		return false;
	say_done(answer, held, true);
	return true;
}

void
store_keep(const struct fleet_line *question)
{
	struct held *held = find(question->fields[1]);

	held->member = question->numbers[2];
	held->until_ns = held->renew_ns = 0;
}

int64_t
store_renewal_ns(void)
{
	int64_t next_ns = INT64_MAX;

	for (int i = 0; i < KEYS; i++)
		if (all[i].member > 0)
			next_ns = min_ns(next_ns, all[i].renew_ns);
	return next_ns;
}

static void
renew(struct held *held)
{
	int64_t now_ns;
	bool is_sure, changed;

	if (!server_connect(0))
		return;
	now_ns = boot_clock_ns();
	/* It is ours whatever the server says, or else if it is still there. */
	is_sure = now_ns < held->until_ns;
	server_add(is_sure ? "ZADD backoff:%s:held %lld %lld"
	                   : "ZADD backoff:%s:held XX CH %lld %lld",
	    held->key, score(now_ns + FLEET_LEASE_NS), (long long)held->member);
	server_add("EXPIRE backoff:%s:held %d", held->key, KEPT_S);
	if (!server_run())
		return;
	changed = server_number(0) > 0;
	if (is_sure == changed)
		held->news = is_sure ? FLEET_FORGOTTEN : FLEET_GONE;
	hold(held, is_sure || changed ? held->member : 0, now_ns);
}

void
store_renew(bool holder_runs)
{
	int64_t now_ns = boot_clock_ns();

	for (int i = 0; i < KEYS; i++) {
		if (all[i].member == 0 || all[i].renew_ns > now_ns)
			continue;
		all[i].renew_ns = now_ns + RETRY_NS;
		if (holder_runs)
			renew(&all[i]);
	}
}

void
store_end(void)
{
	for (int i = 0; i < KEYS; i++)
		drop(&all[i]);
}
