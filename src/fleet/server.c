/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#if HAVE_OPENSSL
#include <openssl/err.h>
#include <openssl/ssl.h>
#else
#define tls_start(host) ""
#define SSL_read(tls, bytes, size) (-1)
#define SSL_write(tls, bytes, size) (-1)
#define SSL_get_error(tls, result) (result)
#define SSL_ERROR_WANT_READ 1
#define SSL_free(tls) ((void)(tls))
#endif

#include "core/base/base.h"
#include "fleet/fleet.h"
#include "system/system.h"

#define LIMIT_NS (250 * NS_PER_MS) /* for the connection, and each answer */
#define NAME_NS (530 * NS_PER_MS) /* for finding its name, and that */
#define MOST_BYTES 65536 /* of an answer: ours have some hundred */
#define REPLIES 12

const char *server_why = "";

static struct {
	redisContext *redis; /* NULL: there is no connection */
	struct ssl_st *tls; /* of it; NULL: without */
	int64_t until_ns; /* the answer has to come, by CLOCK_MONOTONIC */
	int wanted; /* so many replies */
	redisReply *replies[REPLIES];
	int count; /* of them */
	int64_t asked_ns; /* when we asked for the time, by CLOCK_BOOTTIME */
	int64_t ahead_ns; /* by how much the server's clock is ahead of that */
} server;

/* --- the connection --- */

static const char *
unless_late(const char *why)
{
	return clock_now_ns() >= server.until_ns ? "timed out" : why;
}

/*
 * Whether a call that has returned RESULT only came too early, and is to be
 * made again: now more is there. False, too: it does not come in time.
 */
static bool
was_early(int result)
{
	bool is_early = server.tls != NULL
	    ? SSL_get_error(server.tls, result) == SSL_ERROR_WANT_READ
	    : result < 0 && errno == EAGAIN;

	return is_early && fd_await(server.redis->fd, POLLIN, server.until_ns);
}

#if HAVE_OPENSSL

/* NULL, or why there is no connection to HOST, whose certificate it needs. */
static const char *
tls_start(char *host)
{
	static SSL_CTX *context;
	static char why[128];
	struct text text = text_in(why, sizeof why);
	const char *file = getenv("SSL_CERT_FILE");
	long verified;
	int result;

	if (context == NULL) {
		context = SSL_CTX_new(TLS_client_method());
		if (context == NULL)
			return "no memory for TLS";
		SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
		SSL_CTX_set_default_verify_paths(context);
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	}
	server.tls = SSL_new(context);
	/* An address is named in a certificate otherwise than a name. */
	if (server.tls == NULL || SSL_set_fd(server.tls, server.redis->fd) != 1
	    || (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(server.tls), host)
	            != 1
	        && (SSL_set_tlsext_host_name(server.tls, host) != 1
	            || SSL_set1_host(server.tls, host) != 1)))
		return "no memory for TLS";
	ERR_clear_error();
	server.until_ns = clock_now_ns() + LIMIT_NS;
	do
		result = SSL_connect(server.tls);
	while (was_early(result));
	if (result > 0)
		return NULL;
	verified = SSL_get_verify_result(server.tls);
	if (verified == X509_V_OK)
		return unless_late("no TLS there");
	/* One that cannot be read is one without certificates, for OpenSSL. */
	if (file == NULL || access(file, R_OK) == 0)
		return X509_verify_cert_error_string(verified);
	text_join(&text, "SSL_CERT_FILE: ", strerror(errno));
	return why;
}

#endif

static const char *
connect_to(struct url *url)
{
	static char why[128];
	static const struct itimerval none,
	    alarm = { .it_value.tv_usec = NAME_NS / 1000 };
	const struct timeval limit = { .tv_usec = LIMIT_NS / 1000 };

	setitimer(ITIMER_REAL, &alarm, NULL);
	server.redis = url->is_unix
	    ? redisConnectUnixWithTimeout(url->host, limit)
	    : redisConnectWithTimeout(url->host, (int)url->port, limit);
	setitimer(ITIMER_REAL, &none, NULL);
	if (server.redis == NULL)
		return "no memory";
	if (server.redis->err == 0) {
		fcntl(server.redis->fd, F_SETFL, O_NONBLOCK);
		return url->is_tls ? tls_start(url->host) : NULL;
	}
	text_copy(why, sizeof why, server.redis->errstr);
	return strstr(why, strerror(ETIMEDOUT)) != NULL ? "timed out" : why;
}

static void
forget_replies(void)
{
	while (server.count > 0)
		freeReplyObject(server.replies[--server.count]);
}

static void
hang_up(void)
{
	SSL_free(server.tls);
	if (server.redis != NULL)
		redisFree(server.redis);
	server.tls = NULL;
	server.redis = NULL;
	server.wanted = 0;
	forget_replies();
}

/* Closes the connection for that reason, and returns false. */
static bool
fail(const char *because)
{
	server_why = because;
	hang_up();
	return false;
}

/* --- commands and replies --- */

void
server_add(const char *format, ...)
{
	va_list arguments;
	int added;

	if (server.redis == NULL)
		return;
	va_start(arguments, format);
	added = redisvAppendCommand(server.redis, format, arguments);
	va_end(arguments);
	/* No memory, or our own mistake. */
	if (added != REDIS_OK || server.wanted++ == REPLIES)
		abort();
}

/*
 * False: REPLY is an error, or has one. Its first word, as READONLY, is told;
 * the rest may repeat what the server was sent.
 */
static bool
check(const redisReply *reply)
{
	static char words[64];
	struct text text = text_in(words, sizeof words);

	for (size_t i = 0;
	     reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
		if (!check(reply->element[i]))
			return false;
	if (reply->type != REDIS_REPLY_ERROR)
		return true;
	text_add(&text, "the server answered ");
	for (const char *at = reply->str; *at >= 'A' && *at <= 'Z'; at++)
		text_byte(&text, *at);
	return fail(words);
}

int
server_run(void)
{
	size_t size, received = 0;
	void *reply = NULL;
	char bytes[4096];
	int done;

	forget_replies();
	if (server.redis == NULL)
		return 0;
	/* They fit into the socket's buffer: one call sends all, or fails. */
	size = sdslen(server.redis->obuf);
	done = server.tls != NULL
	    ? SSL_write(server.tls, server.redis->obuf, (int)size)
	    : (int)write(server.redis->fd, server.redis->obuf, size);
	sdsclear(server.redis->obuf);
	if (done != (int)size)
		return fail("the connection was closed");
	server.until_ns = clock_now_ns() + LIMIT_NS;
	while (server.count < server.wanted) {
		if (redisGetReplyFromReader(server.redis, &reply) != REDIS_OK)
			return fail("not a Redis server");
		if (reply != NULL) {
			server.replies[server.count++] = reply;
			if (!check(reply))
				return 0;
			continue;
		}
		do
			done = server.tls != NULL
			    ? SSL_read(server.tls, bytes, sizeof bytes)
			    : (int)read(server.redis->fd, bytes, sizeof bytes);
		while (was_early(done));
		if (done <= 0)
			return fail(unless_late("the connection was closed"));
		received += (size_t)done;
		if (received > MOST_BYTES)
			return fail("its answer is too long");
		redisReaderFeed(server.redis->reader, bytes, (size_t)done);
	}
	server.wanted = 0;
	return server.count;
}

const char *
server_string(int number)
{
	return server.replies[number]->str;
}

static int64_t
number_of(const redisReply *reply)
{
	int64_t number = reply->type == REDIS_REPLY_ARRAY
	    ? (int64_t)reply->elements
	    : max_ns(reply->integer, 0);

	if (reply->type == REDIS_REPLY_STRING)
		count_parse(reply->str, &number);
	return number;
}

int64_t
server_number(int number)
{
	return number_of(server.replies[number]);
}

/* Asks for the time, and with it for what was added before. */
static void
ask_time(void)
{
	int64_t now_ns, took_ns;
	const redisReply *time;
	int count;

	do {
		now_ns = boot_clock_ns();
		server_add("TIME");
		count = server_run();
		took_ns = boot_clock_ns() - now_ns;
		/* If we stood still then, it is not known when that was. */
	} while (count > 0 && took_ns > LIMIT_NS);
	if (count == 0)
		return;
	time = server.replies[count - 1];
	if (time->type != REDIS_REPLY_ARRAY || time->elements != 2)
		fail("it does not know the time");
	else
		server.ahead_ns
		    = min_ns(saturating_multiply(
		                 number_of(time->element[0]), NS_PER_S),
		          INT64_MAX / 2)
		    + min_ns(number_of(time->element[1]), 999999) * 1000
		    - now_ns - took_ns / 2;
	server.asked_ns = now_ns;
}

void
server_begin(struct url *url, int64_t age_ns)
{
	struct pollfd watched = { .events = POLLIN };
	const char *why;

	/* Nothing is awaited now: what can be read is its end. */
	if (server.redis != NULL)
		watched.fd = server.redis->fd;
	if (server.redis == NULL || poll(&watched, 1, 0) != 0) {
		hang_up();
		why = connect_to(url);
		if (why != NULL)
			fail(why);
		if (url->user[0] != '\0')
			server_add("AUTH %s %s", url->user, url->password);
		else if (url->password[0] != '\0')
			server_add("AUTH %s", url->password);
		if (url->db != 0)
			server_add("SELECT %ld", url->db);
	} else if (boot_clock_ns() - server.asked_ns < age_ns) {
		return;
	}
	/* Who may not ask it for the time may do nothing else either. */
	ask_time();
}

int64_t
server_time(int64_t now_ns)
{
	return max_ns(now_ns + server.ahead_ns, 0);
}
