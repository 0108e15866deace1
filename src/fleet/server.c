/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <hiredis/hiredis.h>

#include "core/base/duration.h"
#include "fleet/server.h"
#include "fleet/stream.h"
#include "system/system.h"

#define LIMIT_NS (250 * NS_PER_MS) /* for the connection, and each answer */
#define MOST_BYTES 65536 /* of an answer: ours have some hundred */
#define REPLIES 12

static const struct url *url;
static redisReader *reader;
static const char *why = "";
static char request[8192];
static size_t request_size;
static int wanted; /* so many replies */
static redisReply *replies[REPLIES];
static int64_t asked_ns; /* when the time was, by CLOCK_BOOTTIME */
static int64_t ahead_ns; /* of that, by how much the server's time is */

void
server_start(const struct url *where)
{
	url = where;
}

const char *
server_why(void)
{
	return why;
}

static void
forget_replies(void)
{
	for (int i = 0; i < REPLIES; i++) {
		if (replies[i] != NULL)
			freeReplyObject(replies[i]);
		replies[i] = NULL;
	}
}

/* Closes the connection for that reason, and returns false. */
static bool
fail(const char *because)
{
	why = because;
	request_size = 0;
	wanted = 0;
	forget_replies();
	if (reader != NULL)
		redisReaderFree(reader);
	reader = NULL;
	stream_close();
	return false;
}

void
server_add(const char *format, ...)
{
	char *command = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = redisvFormatCommand(&command, format, arguments);
	va_end(arguments);
	/* No memory, or our own mistake. */
	if (length < 0 || request_size + (size_t)length > sizeof request
	    || wanted == REPLIES)
		abort();
	memcpy(request + request_size, command, (size_t)length);
	request_size += (size_t)length;
	wanted++;
	redisFreeCommand(command);
}

/*
 * "READONLY", as the server has it. What follows may repeat what it was sent.
 */
static bool
fail_as(const char *error)
{
	static char words[64];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "the server answered ");
	for (; *error >= 'A' && *error <= 'Z'; error++)
		text_byte(&text, *error);
	return fail(words);
}

/* False: it is an error, or has one. */
static bool
check(const redisReply *reply)
{
	if (reply->type == REDIS_REPLY_ERROR)
		return fail_as(reply->str);
	for (size_t i = 0;
	     reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
		if (reply->element[i]->type == REDIS_REPLY_ERROR)
			return fail_as(reply->element[i]->str);
	return true;
}

/* What there is to read until UNTIL_NS. */
static bool
feed(size_t *received, int64_t until_ns)
{
	char bytes[4096];
	ssize_t size = stream_read(bytes, sizeof bytes, until_ns);

	if (size <= 0)
		return fail(size < 0 && errno == EAGAIN
		        ? "timed out"
		        : "the connection was closed");
	*received += (size_t)size;
	if (*received > MOST_BYTES)
		return fail("its answer is too long");
	return redisReaderFeed(reader, bytes, (size_t)size) == REDIS_OK
	    || fail("no memory");
}

bool
server_run(void)
{
	int64_t until_ns = clock_now_ns() + LIMIT_NS;
	size_t received = 0;
	void *reply = NULL;
	int count = 0;

	forget_replies();
	/* It fits into what the system keeps: all of it, or it has failed. */
	if (stream_write(request, request_size, until_ns)
	    != (ssize_t)request_size)
		return fail("the connection was closed");
	while (count < wanted) {
		if (redisReaderGetReply(reader, &reply) != REDIS_OK)
			return fail("not a Redis server");
		if (reply != NULL)
			replies[count++] = reply;
		else if (!feed(&received, until_ns))
			return false;
	}
	request_size = 0;
	for (wanted = 0; wanted < count; wanted++)
		if (!check(replies[wanted]))
			return false;
	wanted = 0;
	return true;
}

const char *
server_string(int number)
{
	return replies[number]->type == REDIS_REPLY_STRING
	    ? replies[number]->str
	    : NULL;
}

static int64_t
number_of(const redisReply *reply)
{
	int64_t number = 0;

	if (reply->type == REDIS_REPLY_INTEGER)
		return max_ns(reply->integer, 0);
	if (reply->type == REDIS_REPLY_STRING)
		count_parse(reply->str, &number);
	return number;
}

int64_t
server_number(int number)
{
	return number_of(replies[number]);
}

bool
server_is_done(int number)
{
	return replies[number]->type == REDIS_REPLY_ARRAY;
}

static bool
ask_time(void)
{
	int64_t now_ns = boot_clock_ns(), took_ns;
	const redisReply *time;
	int number = wanted;

	server_add("TIME");
	if (!server_run())
		return false;
	time = replies[number];
	took_ns = boot_clock_ns() - now_ns;
	if (time->type != REDIS_REPLY_ARRAY || time->elements != 2)
		return fail("it does not know the time");
	/* If we stood still meanwhile, it is not known when that was. */
	if (took_ns > LIMIT_NS)
		return fail("timed out");
	asked_ns = now_ns;
	ahead_ns
	    = min_ns(saturating_multiply(number_of(time->element[0]), NS_PER_S),
	          INT64_MAX / 2)
	    + min_ns(number_of(time->element[1]), 999999) * 1000 - now_ns
	    - took_ns / 2;
	return true;
}

bool
server_connect(int64_t age_ns)
{
	/* Nothing is awaited now: what can be read is its end. */
	if (stream_is_idle())
		return boot_clock_ns() - asked_ns < age_ns || ask_time();
	fail(NULL);
	why = stream_open(url, clock_now_ns() + LIMIT_NS);
	if (why != NULL)
		return false;
	reader = redisReaderCreate();
	if (reader == NULL)
		return fail("no memory");
	if (url->user[0] != '\0')
		server_add("AUTH %s %s", url->user, url->password);
	else if (url->password[0] != '\0')
		server_add("AUTH %s", url->password);
	if (url->db != 0)
		server_add("SELECT %d", url->db);
	/* Who may not ask it for the time may do nothing else either. */
	return ask_time();
}

int64_t
server_time(int64_t now_ns)
{
	return max_ns(now_ns + ahead_ns, 0);
}
