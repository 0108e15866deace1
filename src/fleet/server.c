/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#if HAVE_OPENSSL
#include <openssl/ssl.h>
#endif

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/server.h"
#include "system/system.h"

#define LIMIT_NS (250 * NS_PER_MS) /* for the connection, and each answer */
#define TICK_NS (10 * NS_PER_MS)
#define LIMIT_TICKS ((int)(LIMIT_NS / TICK_NS))
#define LATE_TICKS 3 /* for what a signal does not end */
#define MOST_BYTES 65536 /* of an answer: ours have some hundred */
#define REPLIES 12

static struct {
	const struct url *url;
	void (*give_up)(void);
	const char *why; /* it cannot be used */
	redisContext *redis; /* NULL: there is no connection */
	struct ssl_st *tls; /* of it; NULL: without */
	int wanted; /* so many replies */
	redisReply *replies[REPLIES];
	int count; /* of them */
	int64_t asked_ns; /* when we asked for the time, by CLOCK_BOOTTIME */
	int64_t ahead_ns; /* by how much the server's clock is ahead of that */
} server = { .why = "" };

static volatile sig_atomic_t ticks_left; /* of the limit, until it is over */

/* getaddrinfo() goes on after a signal; all other calls end with EINTR. */
static void
note_tick(int signal)
{
	const struct sigaction interrupts = { .sa_handler = note_tick };

	if (--ticks_left == 0)
		sigaction(signal, &interrupts, NULL);
	if (ticks_left == -LATE_TICKS)
		server.give_up();
}

/*
 * A limit of LIMIT_NS, in so many ticks. However long the machine stands still,
 * that is one tick: a server that stood still with us has its time.
 */
static void
begin_limit(int ticks)
{
	const struct itimerval limit
	    = { .it_value.tv_usec = LIMIT_NS / ticks / 1000,
		      .it_interval.tv_usec = TICK_NS / 1000 };
	const struct sigaction action = { .sa_handler = note_tick,
		.sa_flags = ticks > 1 ? SA_RESTART : 0 };

	ticks_left = ticks;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
}

static void
end_limit(void)
{
	static const struct itimerval none;

	setitimer(ITIMER_REAL, &none, NULL);
}

static const char *
unless_late(const char *why)
{
	return ticks_left <= 0 ? "timed out" : why;
}

void
server_start(const struct url *url, void (*give_up)(void))
{
	server.url = url;
	server.give_up = give_up;
}

const char *
server_why(void)
{
	return server.why;
}

/* --- the connection --- */

#if HAVE_OPENSSL

/* The certificate has to be HOST's. */
static bool
tls_expect(const char *host)
{
	SSL *tls = server.tls;

	/* An address is named in a certificate otherwise than a name. */
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host) == 1)
		return true;
	/* As SSL_set_tlsext_host_name() does, which drops the const openly. */
	return SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME,
	           TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host)
	    == 1
	    && SSL_set1_host(tls, host) == 1;
}

/* NULL, or why there is no connection. */
static const char *
tls_start(const char *host)
{
	static SSL_CTX *context;
	static char why[128];
	struct text text = text_in(why, sizeof why);
	const char *file = getenv("SSL_CERT_FILE");
	long verified;

	if (context == NULL) {
		context = SSL_CTX_new(TLS_client_method());
		if (context == NULL)
			return "no memory for TLS";
		SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
		SSL_CTX_set_default_verify_paths(context);
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	}
	server.tls = SSL_new(context);
	if (server.tls == NULL || SSL_set_fd(server.tls, server.redis->fd) != 1
	    || !tls_expect(host))
		return "no memory for TLS";
	begin_limit(LIMIT_TICKS);
	if (SSL_connect(server.tls) > 0)
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

#else

#define tls_start(host) ""
#define SSL_read(tls, bytes, size) (-1)
#define SSL_write(tls, bytes, size) (-1)
#define SSL_free(tls) ((void)(tls))

#endif

static const char *
connect_to(const struct url *url)
{
	static char why[128];

	server.redis = url->is_unix ? redisConnectUnix(url->host)
	                            : redisConnect(url->host, url->port);
	if (server.redis == NULL)
		return "no memory";
	if (server.redis->err == 0)
		return url->is_tls ? tls_start(url->host) : NULL;
	text_copy(why, sizeof why, server.redis->errstr);
	return strstr(why, strerror(EINTR)) != NULL ? "timed out" : why;
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
	server.why = because;
	hang_up();
	return false;
}

/* --- commands and replies --- */

void
server_add(const char *format, ...)
{
	va_list arguments;
	int added;

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
	const redisReply *error = reply;

	for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY
	     && i < reply->elements && error->type != REDIS_REPLY_ERROR;
	     i++)
		error = reply->element[i];
	if (error->type != REDIS_REPLY_ERROR)
		return true;
	text_add(&text, "the server answered ");
	for (const char *at = error->str; *at >= 'A' && *at <= 'Z'; at++)
		text_byte(&text, *at);
	return fail(words);
}

/* They fit into the buffer of a socket: one call sends all, or fails. */
static bool
send_commands(void)
{
	char *bytes = server.redis->obuf;
	size_t size = sdslen(bytes);
	ssize_t sent = server.tls != NULL
	    ? SSL_write(server.tls, bytes, (int)size)
	    : write(server.redis->fd, bytes, size);

	sdsclear(bytes);
	return sent == (ssize_t)size
	    || fail(unless_late("the connection was closed"));
}

static bool
receive_replies(void)
{
	size_t received = 0;
	void *reply = NULL;
	char bytes[4096];
	ssize_t size;

	while (server.count < server.wanted) {
		if (redisGetReplyFromReader(server.redis, &reply) != REDIS_OK)
			return fail("not a Redis server");
		if (reply != NULL) {
			server.replies[server.count++] = reply;
			continue;
		}
		size = server.tls != NULL
		    ? SSL_read(server.tls, bytes, sizeof bytes)
		    : read(server.redis->fd, bytes, sizeof bytes);
		if (size <= 0 || ticks_left <= 0)
			return fail(unless_late("the connection was closed"));
		received += (size_t)size;
		if (received > MOST_BYTES)
			return fail("its answer is too long");
		redisReaderFeed(server.redis->reader, bytes, (size_t)size);
	}
	return true;
}

bool
server_run(void)
{
	bool done;

	forget_replies();
	begin_limit(LIMIT_TICKS);
	done = send_commands() && receive_replies();
	end_limit();
	server.wanted = 0;
	for (int i = 0; i < server.count; i++)
		if (!check(server.replies[i]))
			return false;
	return done;
}

const char *
server_string(int number)
{
	const redisReply *reply = server.replies[number];

	return reply->type == REDIS_REPLY_STRING ? reply->str : NULL;
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
	return number_of(server.replies[number]);
}

bool
server_has_executed(void)
{
	return server.replies[server.count - 1]->type == REDIS_REPLY_ARRAY;
}

/* Asks for the time, and with it for what was added before. */
static bool
ask_time(void)
{
	int64_t now_ns = boot_clock_ns(), took_ns;
	const redisReply *time;
	int number = server.wanted;

	server_add("TIME");
	if (!server_run())
		return false;
	time = server.replies[number];
	took_ns = boot_clock_ns() - now_ns;
	if (time->type != REDIS_REPLY_ARRAY || time->elements != 2)
		return fail("it does not know the time");
	/* If we stood still meanwhile, it is not known when that was. */
	if (took_ns > LIMIT_NS)
		return ask_time();
	server.asked_ns = now_ns;
	server.ahead_ns
	    = min_ns(saturating_multiply(number_of(time->element[0]), NS_PER_S),
	          INT64_MAX / 2)
	    + min_ns(number_of(time->element[1]), 999999) * 1000 - now_ns
	    - took_ns / 2;
	return true;
}

bool
server_connect(int64_t age_ns)
{
	const struct url *url = server.url;
	struct pollfd watched = { .events = POLLIN };
	const char *why;

	/* Nothing is awaited now: what can be read is its end. */
	if (server.redis != NULL)
		watched.fd = server.redis->fd;
	if (server.redis != NULL && poll(&watched, 1, 0) == 0)
		return boot_clock_ns() - server.asked_ns < age_ns || ask_time();
	hang_up();
	/* hiredis connects by poll(2), which the first tick ends. */
	begin_limit(1);
	why = connect_to(url);
	end_limit();
	if (why != NULL)
		return fail(why);
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
	return max_ns(now_ns + server.ahead_ns, 0);
}
