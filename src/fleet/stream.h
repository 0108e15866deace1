/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_STREAM_H
#define BACKOFF_FLEET_STREAM_H
/*
 * The connection to the server, over TCP, a Unix socket or TLS. Nothing here
 * waits but stream_open(), which has a limit.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fleet/url.h"

/* NULL, or why there is no connection by UNTIL_NS of CLOCK_MONOTONIC. */
const char *stream_open(const struct url *url, int64_t until_ns);
void stream_close(void);
bool stream_is_open(void);

/*
 * As write(2) and read(2), but 0: not now. < 0: it has ended. What has been
 * written in part has to be written again from there.
 */
ssize_t stream_write(const void *bytes, size_t size);
ssize_t stream_read(void *bytes, size_t size);

bool stream_can_be_read(void);

/* What to wait for until it is to be tried again. */
struct pollfd stream_wanted(void);

#endif
