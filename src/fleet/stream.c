/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#if HAVE_OPENSSL
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/stream.h"
#include "system/system.h"

enum act {
	SHAKE_HANDS,
	WRITE,
	READ,
};

static int fd = -1;
static bool is_tls;

#if HAVE_OPENSSL

static SSL *tls;

static bool
tls_start(const char *host)
{
	static SSL_CTX *context;
	unsigned char address[16];

	is_tls = true;
	if (context == NULL) {
		context = SSL_CTX_new(TLS_client_method());
		if (context == NULL)
			return false;
		SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
		SSL_CTX_set_default_verify_paths(context);
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	}
	tls = SSL_new(context);
	if (tls == NULL || SSL_set_fd(tls, fd) != 1)
		return false;
	/* An address is named in a certificate otherwise than a name. */
	if (inet_pton(AF_INET, host, address) == 1
	    || inet_pton(AF_INET6, host, address) == 1)
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host)
		    == 1;
	/* As SSL_set_tlsext_host_name() does, which drops the const openly. */
	return SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME,
	           TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host)
	    == 1
	    && SSL_set1_host(tls, host) == 1;
}

static ssize_t
tls_act(enum act act, char *bytes, size_t size, short *events)
{
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
	long verified = SSL_get_verify_result(tls);

	if (verified == X509_V_OK)
		return "no TLS there";
	/* One that cannot be read is one without certificates, for OpenSSL. */
	if (file == NULL || access(file, R_OK) == 0)
		return X509_verify_cert_error_string(verified);
	text_join(&text, "SSL_CERT_FILE: ", strerror(errno));
	return why;
}

static void
tls_end(void)
{
	SSL_free(tls);
	tls = NULL;
	is_tls = false;
}

#else

#define tls_start(host) false
#define tls_act(act, bytes, size, events) (-1)
#define tls_why() ""
#define tls_end() ((void)0)

#endif

/* As read(2), but waits. */
static ssize_t
do_and_wait(enum act act, char *bytes, size_t size, int64_t until_ns)
{
	short events = act == READ ? POLLIN : POLLOUT;
	ssize_t done;

	do
		done = is_tls     ? tls_act(act, bytes, size, &events)
		    : act == READ ? read(fd, bytes, size)
		                  : write(fd, bytes, size);
	while (done < 0 && (errno == EAGAIN || errno == EINTR)
	    && fd_await(fd, events, until_ns));
	return done;
}

ssize_t
stream_write(char *bytes, size_t size, int64_t until_ns)
{
	return do_and_wait(WRITE, bytes, size, until_ns);
}

ssize_t
stream_read(char *bytes, size_t size, int64_t until_ns)
{
	return do_and_wait(READ, bytes, size, until_ns);
}

bool
stream_is_idle(void)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&watched, 1, 0) == 0;
}

void
stream_close(void)
{
	tls_end();
	fd_close(&fd);
}

static const char *
connect_to(int family, const struct sockaddr *address, socklen_t size,
    int64_t until_ns)
{
	int error = 0, yes = 1;
	socklen_t length = sizeof error;

	stream_close();
	fd = descriptor_of_stream(family);
	/* EAGAIN: the queue of a Unix socket is full. */
	if (fd < 0 || (connect(fd, address, size) != 0 && errno != EINPROGRESS))
		return strerror(errno);
	if (!fd_await(fd, POLLOUT, until_ns))
		return strerror(ETIMEDOUT);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	return error != 0 ? strerror(error) : NULL;
}

static const char *
connect_unix(const struct url *url, int64_t until_ns)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(url->host) >= sizeof address.sun_path)
		return strerror(ENAMETOOLONG);
	strcpy(address.sun_path, url->host);
	return connect_to(
	    AF_UNIX, (struct sockaddr *)&address, sizeof address, until_ns);
}

static void
limit_names(int64_t ns)
{
	const struct itimerval limit
	    = { .it_value = { .tv_usec = (suseconds_t)(ns / 1000) } };

	setitimer(ITIMER_REAL, &limit, NULL);
}

static const char *
connect_tcp(const struct url *url, int64_t until_ns)
{
	const struct addrinfo hints
	    = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *all, *at;
	const char *why;
	int64_t left = 0, left_ns;
	int error;

	/* A name may take long, and nothing else ends that: main.c. */
	limit_names(max_ns(until_ns - clock_now_ns(), NS_PER_MS));
	error = getaddrinfo(url->host, url->port, &hints, &all);
	limit_names(0);
	if (error != 0)
		return error == EAI_SYSTEM ? strerror(errno)
		                           : gai_strerror(error);
	for (at = all; at != NULL; at = at->ai_next)
		left++;
	at = all;
	do {
		/* One that takes nothing leaves time for the others. */
		left_ns = max_ns(until_ns - clock_now_ns(), 0) / left--;
		why = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen,
		    clock_now_ns() + left_ns);
		at = at->ai_next;
	} while (why != NULL && at != NULL);
	freeaddrinfo(all);
	return why;
}

const char *
stream_open(const struct url *url, int64_t until_ns)
{
	const char *why = url->is_unix ? connect_unix(url, until_ns)
	                               : connect_tcp(url, until_ns);

	if (why == NULL && url->is_tls) {
		if (!tls_start(url->host))
			why = "no memory for TLS";
		else if (do_and_wait(SHAKE_HANDS, NULL, 0, until_ns) <= 0)
			why = errno == EAGAIN ? "timed out" : tls_why();
	}
	if (why != NULL)
		stream_close();
	return why;
}
