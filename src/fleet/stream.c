/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/duration.h"
#include "fleet/stream.h"
#include "fleet/tls.h"
#include "system/clock.h"
#include "system/descriptors.h"
#include "system/fd.h"

static int fd = -1;
static bool is_tls;
static short events;

static const char late[] = "timed out";

bool
stream_is_open(void)
{
	return fd >= 0;
}

bool
stream_can_be_read(void)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	return poll(&watched, 1, 0) != 0;
}

struct pollfd
stream_wanted(void)
{
	return (struct pollfd) { .fd = fd, .events = events };
}

void
stream_close(void)
{
	if (is_tls)
		tls_end();
	is_tls = false;
	fd_close(&fd);
}

static const char *
connect_to(int family, const struct sockaddr *address, socklen_t size,
    int64_t until_ns)
{
	int error = 0, yes = 1;
	socklen_t length = sizeof error;

	fd = descriptor_of_stream(family);
	if (fd < 0)
		return strerror(errno);
	if (connect(fd, address, size) != 0) {
		/* EAGAIN: the queue of a Unix socket is full. */
		if (errno != EINPROGRESS)
			return strerror(errno);
		if (!fd_await(fd, POLLOUT, until_ns))
			return late;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0
		    || error != 0)
			return strerror(error != 0 ? error : errno);
	}
	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	return NULL;
}

static const char *
connect_unix(const struct url *url, int64_t until_ns)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(url->host) >= sizeof address.sun_path)
		return strerror(ENAMETOOLONG);
	memcpy(address.sun_path, url->host, strlen(url->host) + 1);
	return connect_to(
	    AF_UNIX, (struct sockaddr *)&address, sizeof address, until_ns);
}

static void
limit_names(bool limited)
{
	const struct itimerval limit
	    = { .it_value = { .tv_usec = limited ? 250000 : 0 } };

	setitimer(ITIMER_REAL, &limit, NULL);
}

static const char *
connect_tcp(const struct url *url, int64_t until_ns)
{
	const struct addrinfo hints
	    = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *all;
	const char *why = "no address";
	int64_t left = 0;
	int error;

	/* A name may take long, and nothing else ends that: main.c. */
	limit_names(true);
	error = getaddrinfo(url->host, url->port, &hints, &all);
	limit_names(false);
	if (error != 0)
		return error == EAI_SYSTEM ? strerror(errno)
		                           : gai_strerror(error);
	for (const struct addrinfo *at = all; at != NULL; at = at->ai_next)
		left++;
	/* One that takes nothing leaves time for the others. */
	for (const struct addrinfo *at = all; at != NULL && why != NULL;
	     at = at->ai_next) {
		int64_t now_ns = clock_now_ns();

		stream_close();
		why = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen,
		    now_ns + max_ns(until_ns - now_ns, 0) / left--);
	}
	freeaddrinfo(all);
	return why;
}

static const char *
begin_tls(const struct url *url, int64_t until_ns)
{
	int done;

	is_tls = true;
	if (!tls_start(fd, url->host))
		return "no memory for TLS";
	while ((done = tls_handshake(&events)) == 0)
		if (!fd_await(fd, events, until_ns))
			return late;
	return done > 0 ? NULL : tls_why();
}

const char *
stream_open(const struct url *url, int64_t until_ns)
{
	const char *why;

	stream_close();
	why = url->is_unix ? connect_unix(url, until_ns)
	                   : connect_tcp(url, until_ns);
	if (why == NULL && url->is_tls)
		why = begin_tls(url, until_ns);
	events = POLLIN;
	if (why != NULL)
		stream_close();
	return why;
}

/* What a result of read(2) or write(2) says. */
static ssize_t
moved(ssize_t size, short wanted)
{
	events = wanted;
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return size > 0 ? size : -1;
}

ssize_t
stream_write(const void *bytes, size_t size)
{
	if (is_tls)
		return tls_write(bytes, size, &events);
	return moved(write(fd, bytes, size), POLLOUT);
}

ssize_t
stream_read(void *bytes, size_t size)
{
	if (is_tls)
		return tls_read(bytes, size, &events);
	return moved(read(fd, bytes, size), POLLIN);
}
