/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <hiredis/hiredis.h>
#if HAVE_OPENSSL
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/server.h"
#include "system/system.h"

#define LIMIT_NS (250 * NS_PER_MS) /* for the connection, and each answer */
#define MOST_BYTES 65536 /* of an answer: ours have some hundred */
#define REPLIES 12

enum act {
	SHAKE_HANDS,
	WRITE,
	READ,
};

static struct {
	const struct url *url;
	const char *why; /* it cannot be used */
	int fd;
	struct ssl_st *tls; /* NULL: without */
	redisReader *reader;
	char request[8192];
	size_t request_size;
	int wanted; /* so many replies */
	redisReply *replies[REPLIES];
	int count; /* of them */
	int64_t asked_ns; /* when the time was, by CLOCK_BOOTTIME */
	int64_t ahead_ns; /* of that, by how much the server's time is */
} server = { .why = "", .fd = -1 };

void
server_start(const struct url *url)
{
	server.url = url;
}

const char *
server_why(void)
{
	return server.why;
}

/* --- the connection --- */

#if HAVE_OPENSSL

static bool
tls_start(const char *host)
{
	static SSL_CTX *context;

	if (context == NULL) {
		context = SSL_CTX_new(TLS_client_method());
		if (context == NULL)
			return false;
		SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
		SSL_CTX_set_default_verify_paths(context);
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	}
	server.tls = SSL_new(context);
	if (server.tls == NULL || SSL_set_fd(server.tls, server.fd) != 1)
		return false;
	/* An address is named in a certificate otherwise than a name. */
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(server.tls), host)
	    == 1)
		return true;
	ERR_clear_error();
	/* As SSL_set_tlsext_host_name() does, which drops the const openly. */
	return SSL_ctrl(server.tls, SSL_CTRL_SET_TLSEXT_HOSTNAME,
	           TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host)
	    == 1
	    && SSL_set1_host(server.tls, host) == 1;
}

static ssize_t
tls_act(enum act act, char *bytes, size_t size, short *events)
{
	SSL *tls = server.tls;
	int result = act == SHAKE_HANDS ? SSL_connect(tls)
	    : act == WRITE              ? SSL_write(tls, bytes, (int)size)
	                                : SSL_read(tls, bytes, (int)size);
	int error = SSL_get_error(tls, result);

	ERR_clear_error();
	if (result > 0)
		return result;
	*events = error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
	errno = error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ
	    ? EAGAIN
	    : EPROTO;
	return -1;
}

/* Why the handshake has failed. */
static const char *
tls_why(void)
{
	static char why[128];
	struct text text = text_in(why, sizeof why);
	const char *file = getenv("SSL_CERT_FILE");
	long verified = SSL_get_verify_result(server.tls);

	if (verified == X509_V_OK)
		return "no TLS there";
	/* One that cannot be read is one without certificates, for OpenSSL. */
	if (file == NULL || access(file, R_OK) == 0)
		return X509_verify_cert_error_string(verified);
	text_join(&text, "SSL_CERT_FILE: ", strerror(errno));
	return why;
}

#define tls_free(tls) SSL_free(tls)

#else

#define tls_start(host) false
#define tls_act(act, bytes, size, events) (-1)
#define tls_why() ""
#define tls_free(tls) ((void)(tls))

#endif

/* As read(2), but waits. EAGAIN: too long. */
static ssize_t
do_and_wait(enum act act, char *bytes, size_t size, int64_t until_ns)
{
	short events = act == READ ? POLLIN : POLLOUT;
	ssize_t done;

	do
		done = server.tls != NULL ? tls_act(act, bytes, size, &events)
		    : act == READ         ? read(server.fd, bytes, size)
		                          : write(server.fd, bytes, size);
	while (done < 0 && (errno == EAGAIN || errno == EINTR)
	    && fd_await(server.fd, events, until_ns));
	return done;
}

static void
hang_up(void)
{
	tls_free(server.tls);
	server.tls = NULL;
	fd_close(&server.fd);
}

/* NULL, or why there is no connection; so with those that follow. */
static const char *
connect_to(int family, const struct sockaddr *address, socklen_t size,
    int64_t until_ns)
{
	int error = 0, yes = 1;
	socklen_t length = sizeof error;

	hang_up();
	server.fd = descriptor_of_stream(family);
	/* EAGAIN: the queue of a Unix socket is full. */
	if (server.fd < 0
	    || (connect(server.fd, address, size) != 0 && errno != EINPROGRESS))
		return strerror(errno);
	if (!fd_await(server.fd, POLLOUT, until_ns))
		return strerror(ETIMEDOUT);
	getsockopt(server.fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (family != AF_UNIX)
		setsockopt(
		    server.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	return error != 0 ? strerror(error) : NULL;
}

static const char *
connect_unix(int64_t until_ns)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(server.url->host) >= sizeof address.sun_path)
		return strerror(ENAMETOOLONG);
	text_copy(address.sun_path, sizeof address.sun_path, server.url->host);
	return connect_to(
	    AF_UNIX, (struct sockaddr *)&address, sizeof address, until_ns);
}

/* A name may take long, and nothing but a signal ends that: main.c. */
static void
limit_names(int64_t ns)
{
	const struct itimerval limit
	    = { .it_value = { .tv_usec = (suseconds_t)(ns / 1000) } };

	setitimer(ITIMER_REAL, &limit, NULL);
}

static const char *
connect_tcp(int64_t until_ns)
{
	const struct addrinfo hints
	    = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *all;
	const char *why = NULL;
	int64_t left = 0, left_ns;
	int error;

	limit_names(max_ns(until_ns - clock_now_ns(), NS_PER_MS));
	error = getaddrinfo(server.url->host, server.url->port, &hints, &all);
	limit_names(0);
	if (error != 0)
		return error == EAI_SYSTEM ? strerror(errno)
		                           : gai_strerror(error);
	for (struct addrinfo *at = all; at != NULL; at = at->ai_next)
		left++;
	for (struct addrinfo *at = all; at != NULL; at = at->ai_next) {
		/* One that takes nothing leaves time for the others. */
		left_ns = max_ns(until_ns - clock_now_ns(), 0) / left--;
		why = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen,
		    clock_now_ns() + left_ns);
		if (why == NULL)
			break;
	}
	freeaddrinfo(all);
	return why;
}

static const char *
connect_all(int64_t until_ns)
{
	const char *why = server.url->is_unix ? connect_unix(until_ns)
	                                      : connect_tcp(until_ns);

	if (why != NULL || !server.url->is_tls)
		return why;
	if (!tls_start(server.url->host))
		return "no memory for TLS";
	if (do_and_wait(SHAKE_HANDS, NULL, 0, until_ns) > 0)
		return NULL;
	return errno == EAGAIN ? "timed out" : tls_why();
}

/* --- commands and replies --- */

static void
forget_replies(void)
{
	while (server.count > 0)
		freeReplyObject(server.replies[--server.count]);
}

/* Closes the connection for that reason, and returns false. */
static bool
fail(const char *because)
{
	server.why = because;
	server.request_size = 0;
	server.wanted = 0;
	forget_replies();
	if (server.reader != NULL)
		redisReaderFree(server.reader);
	server.reader = NULL;
	hang_up();
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
	if (length < 0
	    || server.request_size + (size_t)length > sizeof server.request
	    || server.wanted == REPLIES)
		abort();
	memcpy(server.request + server.request_size, command, (size_t)length);
	server.request_size += (size_t)length;
	server.wanted++;
	redisFreeCommand(command);
}

/*
 * False: it is an error, or has one: "READONLY". What follows that may repeat
 * what the server was sent.
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

/* What there is to read until UNTIL_NS. */
static bool
feed(size_t *received, int64_t until_ns)
{
	char bytes[4096];
	ssize_t size = do_and_wait(READ, bytes, sizeof bytes, until_ns);

	if (size <= 0)
		return fail(size < 0 && errno == EAGAIN
		        ? "timed out"
		        : "the connection was closed");
	*received += (size_t)size;
	if (*received > MOST_BYTES)
		return fail("its answer is too long");
	return redisReaderFeed(server.reader, bytes, (size_t)size) == REDIS_OK
	    || fail("no memory");
}

bool
server_run(void)
{
	int64_t until_ns = clock_now_ns() + LIMIT_NS;
	size_t received = 0;
	void *reply = NULL;

	forget_replies();
	/* It fits into what the system keeps: all of it, or it has failed. */
	if (do_and_wait(WRITE, server.request, server.request_size, until_ns)
	    != (ssize_t)server.request_size)
		return fail("the connection was closed");
	while (server.count < server.wanted) {
		if (redisReaderGetReply(server.reader, &reply) != REDIS_OK)
			return fail("not a Redis server");
		if (reply != NULL)
			server.replies[server.count++] = reply;
		else if (!feed(&received, until_ns))
			return false;
	}
	server.request_size = 0;
	server.wanted = 0;
	for (int i = 0; i < server.count; i++)
		if (!check(server.replies[i]))
			return false;
	return true;
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

/* With what was added before. */
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
		return fail("timed out");
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
	struct pollfd watched = { .fd = server.fd, .events = POLLIN };
	const char *why;

	/* Nothing is awaited now: what can be read is its end. */
	if (server.fd >= 0 && poll(&watched, 1, 0) == 0)
		return boot_clock_ns() - server.asked_ns < age_ns || ask_time();
	fail(NULL);
	why = connect_all(clock_now_ns() + LIMIT_NS);
	if (why != NULL)
		return fail(why);
	server.reader = redisReaderCreate();
	if (server.reader == NULL)
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
	return max_ns(now_ns + server.ahead_ns, 0);
}
