/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/server.h"
#include "fleet/stream.h"
#include "system/clock.h"
#include "system/fd.h"

/* Our records have some hundred bytes, and what else is there is not ours. */
#define MOST_BYTES 65536

static const struct url *url;
static redisReader *reader;
static const char *why;
static char *request;
static size_t request_size, request_room;
static int wanted; /* so many replies */
static redisReply *replies[SERVER_REPLIES];
static size_t received; /* bytes, of the replies that are waited for */
static int64_t ahead_ns; /* by how much the server's clock is */

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
	for (int i = 0; i < SERVER_REPLIES; i++) {
		if (replies[i] != NULL)
			freeReplyObject(replies[i]);
		replies[i] = NULL;
	}
}

static void
close_connection(void)
{
	forget_replies();
	request_size = 0;
	wanted = 0;
	if (reader != NULL)
		redisReaderFree(reader);
	reader = NULL;
	stream_close();
}

bool
server_fail(const char *because)
{
	why = because;
	close_connection();
	return false;
}

void
server_add(const char *format, ...)
{
	char *command = NULL, *larger;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = redisvFormatCommand(&command, format, arguments);
	va_end(arguments);
	if (length > 0 && request_size + (size_t)length > request_room) {
		request_room = request_size + (size_t)length + 1024;
		larger = realloc(request, request_room);
		if (larger == NULL)
			abort();
		request = larger;
	}
	if (length > 0) {
		memcpy(request + request_size, command, (size_t)length);
		request_size += (size_t)length;
		wanted++;
	}
	redisFreeCommand(command);
}

/* What the first word of an error means to those who look for it. */
static const char *
error_words(const char *error)
{
	static const struct {
		char code[12];
		const char *words;
	} known[] = {
		{ "NOAUTH", "it asks for a password" },
		{ "WRONGPASS", "wrong user or password" },
		{ "NOPERM", "the user may not do that there" },
		{ "READONLY", "a read-only replica" },
		{ "OOM", "out of memory there" },
		{ "LOADING", "it is still loading its data" },
		{ "MASTERDOWN", "a replica without its master" },
		{ "MISCONF", "it cannot write to its disk" },
		{ "NOREPLICAS", "too few replicas" },
		{ "WRONGTYPE", "one of our keys is of another type" },
		{ "MOVED", "another node of the cluster has the key" },
		{ "CLUSTERDOWN", "the cluster is down" },
		{ "BUSY", "a script keeps it busy" },
		{ "EXECABORT", "a transaction was refused" },
	};
	size_t length = strcspn(error, " ");

	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		if (strlen(known[i].code) == length
		    && memcmp(known[i].code, error, length) == 0)
			return known[i].words;
	return "it refused a command";
}

/* The first error among the replies, and what they hold, or NULL. */
static const redisReply *
find_error(void)
{
	for (int i = 0; i < SERVER_REPLIES && replies[i] != NULL; i++) {
		if (replies[i]->type == REDIS_REPLY_ERROR)
			return replies[i];
		for (size_t j = 0; replies[i]->type == REDIS_REPLY_ARRAY
		     && j < replies[i]->elements;
		     j++)
			if (replies[i]->element[j]->type == REDIS_REPLY_ERROR)
				return replies[i]->element[j];
	}
	return NULL;
}

/* Takes the replies that are there. False: what came is none. */
static bool
take_replies(int *count)
{
	void *reply = NULL;

	while (*count < wanted) {
		if (redisReaderGetReply(reader, &reply) != REDIS_OK)
			return server_fail("not a Redis server");
		if (reply == NULL)
			break;
		replies[(*count)++] = reply;
	}
	return true;
}

/* What there is to read. False: it has failed. */
static bool
read_some(int *count)
{
	char bytes[4096];
	ssize_t size;

	while ((size = stream_read(bytes, sizeof bytes)) > 0) {
		received += (size_t)size;
		if (received > MOST_BYTES)
			return server_fail("its answer is too long");
		if (redisReaderFeed(reader, bytes, (size_t)size) != REDIS_OK)
			return server_fail("no memory");
		if (!take_replies(count) || *count == wanted)
			break;
	}
	if (!stream_is_open())
		return false;
	return size >= 0 || server_fail("the connection was closed");
}

/* Writes what is left to be sent, and reads. */
static bool
exchange(size_t *sent, int *count)
{
	ssize_t size = 1;

	while (*sent < request_size && size > 0) {
		size = stream_write(request + *sent, request_size - *sent);
		if (size < 0)
			return server_fail("the connection was closed");
		*sent += (size_t)size;
	}
	return *sent < request_size || read_some(count);
}

enum event {
	REPLIED,
	FAILED,
	INTERRUPTED,
};

/* Until all replies are there, or OTHER, if >= 0, can be read. */
static enum event
run(int64_t until_ns, int other)
{
	struct pollfd watched[2]
	    = { { .fd = -1 }, { .fd = other, .events = POLLIN } };
	int count = 0;
	size_t sent = 0;

	forget_replies();
	received = 0;
	for (;;) {
		if (!exchange(&sent, &count))
			return FAILED;
		if (count == wanted)
			break;
		if (until_ns <= clock_now_ns()) {
			server_fail("timed out");
			return FAILED;
		}
		watched[0] = stream_wanted();
		fd_poll(watched, other >= 0 ? 2 : 1, &until_ns);
		if (other >= 0 && watched[1].revents != 0) {
			close_connection();
			return INTERRUPTED;
		}
	}
	request_size = 0;
	wanted = 0;
	if (find_error() == NULL)
		return REPLIED;
	why = error_words(find_error()->str);
	close_connection();
	return FAILED;
}

static bool
greet(int64_t until_ns)
{
	int64_t now_ns;
	int time = 0;

	reader = redisReaderCreate();
	if (reader == NULL)
		return server_fail("no memory");
	if (url->user[0] != '\0')
		server_add("AUTH %s %s", url->user, url->password);
	else if (url->password[0] != '\0')
		server_add("AUTH %s", url->password);
	if (url->db != 0)
		server_add("SELECT %d", url->db);
	time = wanted;
	/* Who may not ask it for the time may do nothing else either. */
	server_add("TIME");
	return run(until_ns, -1) == REPLIED
	    && server_take_time(replies[time], &now_ns);
}

bool
server_connect(void)
{
	int64_t until_ns = clock_now_ns() + SERVER_LIMIT_NS;

	/* Nothing is awaited now: what can be read is its end. */
	if (stream_is_open() && !stream_can_be_read())
		return true;
	close_connection();
	why = stream_open(url, until_ns);
	return why == NULL && greet(clock_now_ns() + SERVER_LIMIT_NS);
}

bool
server_run(void)
{
	return run(clock_now_ns() + SERVER_LIMIT_NS, -1) == REPLIED;
}

bool
server_await_item(
    const char *key, int64_t most_ns, int other, bool *took, bool *interrupted)
{
	char limit[32];
	struct text text = text_in(limit, sizeof limit);
	enum event event;

	text_join(&text, NUMBER(most_ns / NS_PER_S), ".");
	text_digits(&text, most_ns % NS_PER_S / NS_PER_MS, 3);
	/* What has changed meanwhile is looked at anew. */
	server_add("UNWATCH");
	server_add("BLPOP %s %s", key, limit);
	event = run(clock_now_ns() + most_ns + SERVER_LIMIT_NS, other);
	*took = event == REPLIED && replies[1]->type == REDIS_REPLY_ARRAY;
	*interrupted = event == INTERRUPTED;
	return event != FAILED;
}

const redisReply *
server_reply(int number)
{
	return replies[number];
}

bool
server_number(const redisReply *reply, int64_t *number)
{
	char *end;

	*number = 0;
	if (reply->type == REDIS_REPLY_INTEGER) {
		*number = reply->integer;
		return true;
	}
	if (reply->type != REDIS_REPLY_STRING || reply->len == 0)
		return false;
	*number = strtoll(reply->str, &end, 10);
	return *end == '\0';
}

bool
server_take_time(const redisReply *reply, int64_t *now_ns)
{
	int64_t seconds, micros;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2
	    || !server_number(reply->element[0], &seconds)
	    || !server_number(reply->element[1], &micros) || seconds < 0
	    || micros < 0 || micros >= 1000000)
		return server_fail("it does not know the time");
	/* So far from the end of all times that spans may be added. */
	*now_ns = saturating_add(
	    min_ns(saturating_multiply(seconds, NS_PER_S), INT64_MAX / 2),
	    micros * 1000);
	ahead_ns = *now_ns - clock_now_ns();
	return true;
}

int64_t
server_now_ns(void)
{
	return clock_now_ns() + ahead_ns;
}
