/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "fleet/tls.h"

#if HAVE_OPENSSL

#include <limits.h>
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdint.h>

static SSL_CTX *context;
static SSL *tls;
static long verified;

static bool
make_context(void)
{
	if (context != NULL)
		return true;
	context = SSL_CTX_new(TLS_client_method());
	if (context == NULL)
		return false;
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	SSL_CTX_set_default_verify_paths(context);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_mode(context,
	    SSL_MODE_ENABLE_PARTIAL_WRITE
	        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	return true;
}

static bool
is_address(const char *host)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, host, bytes) == 1
	    || inet_pton(AF_INET6, host, bytes) == 1;
}

bool
tls_start(int fd, const char *host)
{
	verified = X509_V_OK;
	if (!make_context() || (tls = SSL_new(context)) == NULL)
		return false;
	/* An address is named in a certificate otherwise than a name. */
	if (is_address(host))
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host)
		    && SSL_set_fd(tls, fd);
	/* As SSL_set_tlsext_host_name() does, which drops the const openly. */
	return SSL_ctrl(tls, SSL_CTRL_SET_TLSEXT_HOSTNAME,
	           TLSEXT_NAMETYPE_host_name, (void *)(uintptr_t)host)
	    && SSL_set1_host(tls, host) && SSL_set_fd(tls, fd);
}

void
tls_end(void)
{
	SSL_free(tls);
	tls = NULL;
	ERR_clear_error();
}

/* What RESULT, of a call that has not succeeded, means. */
static int
not_yet(int result, short *events)
{
	switch (SSL_get_error(tls, result)) {
	case SSL_ERROR_WANT_READ:
		*events = POLLIN;
		return 0;
	case SSL_ERROR_WANT_WRITE:
		*events = POLLOUT;
		return 0;
	default:
		return -1;
	}
}

int
tls_handshake(short *events)
{
	int result;

	ERR_clear_error();
	result = SSL_connect(tls);
	verified = SSL_get_verify_result(tls);
	return result == 1 ? 1 : not_yet(result, events);
}

const char *
tls_why(void)
{
	return verified != X509_V_OK ? X509_verify_cert_error_string(verified)
	                             : "no TLS there";
}

ssize_t
tls_write(const void *bytes, size_t size, short *events)
{
	int result;

	ERR_clear_error();
	result = SSL_write(tls, bytes, size > INT_MAX ? INT_MAX : (int)size);
	return result > 0 ? result : not_yet(result, events);
}

ssize_t
tls_read(void *bytes, size_t size, short *events)
{
	int result;

	ERR_clear_error();
	result = SSL_read(tls, bytes, size > INT_MAX ? INT_MAX : (int)size);
	return result > 0 ? result : not_yet(result, events);
}

#endif
