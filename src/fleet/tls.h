/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_TLS_H
#define BACKOFF_FLEET_TLS_H
/*
 * TLS, by OpenSSL where configure has found it. The server has to show a
 * certificate of its name that is trusted by the system, or by SSL_CERT_FILE
 * and SSL_CERT_DIR.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#if HAVE_OPENSSL

#define tls_is_built() true

/* Over the connected socket FD, for the server HOST. False: no memory. */
bool tls_start(int fd, const char *host);
void tls_end(void);

/* 1: done; 0: not yet, *EVENTS are to be waited for; -1: it has failed. */
int tls_handshake(short *events);

/* Why it has failed. */
const char *tls_why(void);

/* As stream_write() and stream_read(). */
ssize_t tls_write(const void *bytes, size_t size, short *events);
ssize_t tls_read(void *bytes, size_t size, short *events);

#else

/* Where that is false, nobody comes to the others. */
#define tls_is_built() false
#define tls_start(fd, host) ((void)(host), false)
#define tls_end() ((void)0)
#define tls_handshake(events) (-1)
#define tls_why() ""
#define tls_write(bytes, size, events) (-1)
#define tls_read(bytes, size, events) (-1)

#endif

#endif
