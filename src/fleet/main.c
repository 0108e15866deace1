/* SPDX-License-Identifier: MIT */
/*
 * backoff-fleet asks a server of Redis's kind for backoff, which has no other
 * library than libc. backoff starts it, and talks to it over descriptor 3:
 * the last part of core/gate/gate.h. Nobody else has a use for it.
 *
 * What the server keeps for a KEY goes after a day without a change:
 *
 *   backoff:KEY        the state
 *   backoff:KEY:held   a sorted set of those who hold something, by the time
 *       in milliseconds at which their leases run out
 */
#include <config.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/base.h"
#include "core/gate/gate.h"
#include "fleet/fleet.h"
#include "system/system.h"

#define KEYS 2 /* a gate's, and that of slots */
#define RENEW_NS (FLEET_LEASE_NS / 3)
#define RETRY_NS NS_PER_S
#define KEPT_S (24 * 3600)

/* How old the server's time may be: to look at a state; to judge leases. */
#define TIME_KEPT_NS (10 * NS_PER_S)
#define LOOKED_NS NS_PER_S

/* What we hold of a key; times are of CLOCK_BOOTTIME. */
struct held {
	char key[FLEET_KEY_SIZE];
	int64_t member; /* 0: nothing */
	int64_t until_ns; /* before, nobody else can hold it */
	int64_t renew_ns;
	bool lapsed; /* others may have had it, which backoff has to know */
};

static struct held all[KEYS];
static struct url url; /* of the server */

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

/* A moment as a score in the sorted set. */
static long long
score(int64_t ns)
{
	return (long long)(server_time(ns) / NS_PER_MS);
}

/* No lease lasts longer, unless the server's clock was set back meanwhile. */
static long long
latest(int64_t now_ns)
{
	return score(now_ns + FLEET_LEASE_NS + NS_PER_S);
}

/* The state in reply NUMBER; "-": it has none of ours. */
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

/* --- what backoff asks; false: the server cannot be used --- */

/* MEMBERS end with a 0, or after FLEET_MEMBERS. */
static bool
look(struct held *held, const int64_t *members, struct text *answer)
{
	int64_t now_ns, living = 0;

	server_begin(&url, members[0] > 0 ? LOOKED_NS : TIME_KEPT_NS);
	now_ns = boot_clock_ns();
	/*
	 * First the state: whoever takes something after this GET is counted,
	 * and whoever does so after the count crosses our put.
	 */
	server_add("GET backoff:%s", held->key);
	if (members[0] > 0)
		server_add("ZCOUNT backoff:%s:held %lld %lld", held->key,
		    score(now_ns), latest(now_ns));
	for (int i = 0; i < FLEET_MEMBERS && members[i] > 0; i++)
		server_add("ZSCORE backoff:%s:held %lld", held->key,
		    (long long)members[i]);
	if (server_run() == 0)
		return false;
	for (int i = 0; i < FLEET_MEMBERS && members[i] > 0; i++) {
		int64_t until_ms = server_number(2 + i);

		if (until_ms >= score(now_ns) && until_ms <= latest(now_ns))
			living |= INT64_C(1) << i;
	}
	text_join(answer, "found ", NUMBER(server_time(now_ns)), " ",
	    NUMBER(now_ns), " ", NUMBER(held->lapsed), " ", state(0), " ",
	    NUMBER(living), " ", NUMBER(members[0] > 0 ? server_number(1) : 0));
	return true;
}

/* Adds what makes MEMBER, or nothing, what is held from NOW_NS on. */
static void
add_hold(const struct held *held, int64_t member, int64_t now_ns)
{
	const char *key = held->key;

	if (held->member > 0)
		server_add(
		    "ZREM backoff:%s:held %lld", key, (long long)held->member);
	if (member == 0)
		return;
	server_add(
	    "ZREMRANGEBYSCORE backoff:%s:held -inf (%lld", key, score(now_ns));
	server_add(
	    "ZREMRANGEBYSCORE backoff:%s:held (%lld +inf", key, latest(now_ns));
	server_add("ZADD backoff:%s:held %lld %lld", key,
	    score(now_ns + FLEET_LEASE_NS), (long long)member);
	server_add("EXPIRE backoff:%s:held %d", key, KEPT_S);
}

/* Makes NEW of the state OLD. *DONE: it was OLD, and nobody has crossed it. */
static bool
put(struct held *held, int64_t member, const char *old, const char *new,
    bool *done)
{
	int64_t now_ns;
	int count;

	server_begin(&url, LOOKED_NS);
	server_add("WATCH backoff:%s", held->key);
	server_add("GET backoff:%s", held->key);
	if (server_run() == 0)
		return false;
	*done = strcmp(state(1), old) == 0;
	if (!*done) {
		server_add("UNWATCH");
		return server_run() > 0;
	}
	server_add("MULTI");
	server_add("SET backoff:%s %s EX %d", held->key, new, KEPT_S);
	now_ns = boot_clock_ns();
	add_hold(held, member, now_ns);
	server_add("EXEC");
	count = server_run();
	if (count == 0)
		return false;
	*done = server_number(count - 1) > 0;
	if (*done)
		hold(held, member, now_ns);
	return true;
}

static bool
drop(struct held *held)
{
	int64_t member = held->member;

	held->member = 0;
	if (member == 0)
		return true;
	server_begin(&url, TIME_KEPT_NS);
	server_add("ZREM backoff:%s:held %lld", held->key, (long long)member);
	if (server_run() == 0)
		return false;
	held->lapsed |= server_number(0) == 0;
	return true;
}

/* --- what is held --- */

static void
renew(struct held *held)
{
	int64_t now_ns;
	bool is_sure, changed;

	server_begin(&url, 0);
	now_ns = boot_clock_ns();
	/* Before until_ns it is ours even if the server has lost it. */
	is_sure = now_ns < held->until_ns;
	server_add(is_sure ? "ZADD backoff:%s:held %lld %lld"
	                   : "ZADD backoff:%s:held XX CH %lld %lld",
	    held->key, score(now_ns + FLEET_LEASE_NS), (long long)held->member);
	server_add("EXPIRE backoff:%s:held %d", held->key, KEPT_S);
	if (server_run() == 0)
		return;
	changed = server_number(0) > 0;
	held->lapsed |= is_sure == changed;
	hold(held, is_sure || changed ? held->member : 0, now_ns);
}

/*
 * Renews what is due, but not while backoff is stopped, as by Ctrl-Z. Returns
 * when the next one is, by CLOCK_BOOTTIME; INT64_MAX: never.
 */
static int64_t
renew_what_is_due(void)
{
	struct process backoff;
	int64_t now_ns = boot_clock_ns(), next_ns = INT64_MAX;

	for (struct held *held = all; held < all + KEYS; held++) {
		if (held->member > 0 && held->renew_ns <= now_ns) {
			held->renew_ns = now_ns + RETRY_NS;
			/* Where it cannot be seen nobody knows. */
			if (!process_read(&backoff, getppid())
			    || !backoff.is_stopped)
				renew(held);
		}
		if (held->member > 0)
			next_ns = min_ns(next_ns, held->renew_ns);
	}
	return next_ns;
}

/* --- the talk with backoff --- */

/* "WORD :WORDS"; in a signal handler too, which may call sendmsg(2). */
/* NOLINTBEGIN(bugprone-signal-handler, cert-sig30-c) */
static void
say(const char *word, const char *words)
{
	char room[FLEET_TEXT_SIZE + 16];
	struct text text = text_in(room, sizeof room);

	text_join(&text, word, " :");
	text_ascii(&text, words);
	message_send(FLEET_SOCKET, room, text.length);
}
/* NOLINTEND(bugprone-signal-handler, cert-sig30-c) */

static void
give_up_name(int signal)
{
	(void)signal;
	say("lost", "timed out");
	_exit(1);
}

static void
say_hello(void)
{
	const char *where = getenv("BACKOFF_FLEET");
	const char *wrong = "BACKOFF_FLEET is not set; expected redis://HOST, "
	                    "rediss://HOST or unix:/PATH there";

	if (where != NULL && where[0] != '\0')
		wrong = url_parse(&url, where);
#if !HAVE_OPENSSL
	if (wrong == NULL && url.is_tls)
		wrong = "backoff-fleet was built without TLS";
#endif
	if (wrong != NULL) {
		say("wrong", wrong);
		_exit(0);
	}
	say(JOINED(32, "hello ", NUMBER(FLEET_VERSION)), url.shown);
}

static void
answer(const struct fleet_line *question)
{
	char room[FLEET_LINE_SIZE];
	struct text text = text_in(room, sizeof room);
	const char *word = question->fields[0];
	struct held *held = find(question->fields[1]);
	bool done, changed = true;

	if (strcmp(word, "keep") == 0) {
		held->member = question->numbers[2];
		held->until_ns = held->renew_ns = 0;
		return;
	}
	if (strcmp(word, "look") == 0) {
		done = look(held, question->numbers + 2, &text);
	} else if (strcmp(word, "put") == 0) {
		done = put(held, question->numbers[2], question->fields[3],
		    question->fields[4], &changed);
		if (!done)
			held->member = 0;
	} else {
		done = drop(held);
	}
	if (!done) {
		say("lost", server_why);
		return;
	}
	if (text.length == 0)
		text_join(
		    &text, "done ", NUMBER(changed), " ", NUMBER(held->lapsed));
	if (strcmp(word, "drop") == 0)
		held->lapsed = false;
	message_send(FLEET_SOCKET, room, text.length);
}

/* Until backoff says something, or has gone. */
static void
listen_to_backoff(void)
{
	struct pollfd watched = { .fd = FLEET_SOCKET, .events = POLLIN };
	char words[FLEET_LINE_SIZE];
	struct fleet_line question;
	/* Renewals come first: backoff may ask again and again. */
	int64_t next_ns = renew_what_is_due();
	int64_t left_ns = max_ns(next_ns - boot_clock_ns(), 0);
	ssize_t size;

	if (poll(&watched, 1,
	        next_ns == INT64_MAX ? -1 : (int)(left_ns / NS_PER_MS) + 1)
	    <= 0)
		return;
	size = message_receive(FLEET_SOCKET, words, sizeof words - 1);
	if (size <= 0) {
		for (int i = 0; i < KEYS; i++)
			drop(&all[i]);
		_exit(0);
	}
	words[size] = '\0';
	fleet_line_read(&question, words);
	answer(&question);
}

/* Keeps nothing of backoff's but the socket, and nothing of a terminal. */
static void
settle(void)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t blocked;

	for (int fd = 0; fd < FLEET_SOCKET && null >= 0; fd++)
		dup2(null, fd);
	fd_close_from(FLEET_SOCKET + 1);
	fcntl(FLEET_SOCKET, F_SETFD, FD_CLOEXEC);
	/* The end of the socket says when to end. */
	signal(SIGALRM, give_up_name);
	sigfillset(&blocked);
	sigdelset(&blocked, SIGALRM);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	if (chdir("/") != 0)
		_exit(1);
}

int
main(void)
{
	struct stat stat;

	if (fstat(FLEET_SOCKET, &stat) != 0 || !S_ISSOCK(stat.st_mode)) {
		fputs("backoff-fleet: backoff starts it; see backoff-gate(7)\n",
		    stderr);
		return 125;
	}
	setsid();
	settle();
	say_hello();
	for (;;)
		listen_to_backoff();
}
