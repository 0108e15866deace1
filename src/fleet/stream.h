/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_STREAM_H
#define BACKOFF_FLEET_STREAM_H
/*
 * The connection to the server, over TCP, a Unix socket or TLS, which is by
 * OpenSSL where configure has found it: the server has to show a certificate
 * of its name that is trusted by the system, or by SSL_CERT_FILE and
 * SSL_CERT_DIR. Nothing waits longer than until UNTIL_NS of CLOCK_MONOTONIC.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fleet/url.h"

/* NULL, or why there is no connection. */
const char *stream_open(const struct url *url, int64_t until_ns);
void stream_close(void);

/* It is open, and has nothing to say, not even that it has ended. */
bool stream_is_idle(void);

/* As write(2) and read(2), but waits; EAGAIN: too long. */
ssize_t stream_write(char *bytes, size_t size, int64_t until_ns);
ssize_t stream_read(char *bytes, size_t size, int64_t until_ns);

#endif
