/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_SERVER_H
#define BACKOFF_FLEET_SERVER_H
/*
 * Commands to the server, and its replies. hiredis writes and reads them; the
 * bytes go through stream.h, so that nothing waits beyond its limit, and
 * backoff is heard meanwhile.
 *
 * A failure of any kind closes the connection; server_why() tells it without
 * what the server has said in words, which may repeat what it was sent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hiredis/hiredis.h>

#include "fleet/url.h"

#define SERVER_REPLIES 12 /* the most of one server_run() */

/* For the connection, and for each answer. */
#define SERVER_LIMIT_NS (250 * INT64_C(1000000))

void server_start(const struct url *url);

/* Connects, unless that has been done. */
bool server_connect(void);
const char *server_why(void);

/* Another command, in the format of redisFormatCommand(). */
void server_add(const char *format, ...);

/*
 * Sends what was added, and reads as many replies. They stay until the next
 * one. False: that has failed, or one of them is an error.
 */
bool server_run(void);
const redisReply *server_reply(int number);

/*
 * Takes an item of the list KEY, waiting for one for MOST_NS. *INTERRUPTED: not
 * to the end, as OTHER has something to read; the connection is closed.
 */
bool server_await_item(
    const char *key, int64_t most_ns, int other, bool *took, bool *interrupted);

/* Closes the connection for that reason, and returns false. */
bool server_fail(const char *why);

/* Numbers, and times in seconds and microseconds, of a reply. */
bool server_number(const redisReply *reply, int64_t *number);

/*
 * Since the epoch by the server's clock: what TIME said, which REPLY is, and
 * what it would say now.
 */
bool server_take_time(const redisReply *reply, int64_t *now_ns);
int64_t server_now_ns(void);

#endif
