/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_SERVER_H
#define BACKOFF_FLEET_SERVER_H
/*
 * Commands to the server, and its replies, by hiredis, which knows TCP and Unix
 * sockets; TLS is by OpenSSL where configure has found it: the server has to
 * show a certificate of its name that is trusted by the system, or by
 * SSL_CERT_FILE and SSL_CERT_DIR. The connection, and all that is read by one
 * server_run(), take 250 ms at most. A failure of any kind closes the
 * connection, and server_why() tells it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "fleet/url.h"

/*
 * GIVE_UP is called by a signal handler if looking up a name takes too long, as
 * nothing but the end of the process ends that.
 */
void server_start(const struct url *url, void (*give_up)(void));
const char *server_why(void);

/*
 * Connects, unless that has been done, and asks for the server's time, unless
 * that was done AGE_NS ago, or later.
 */
bool server_connect(int64_t age_ns);

/* Another command, in the format of redisFormatCommand(). */
void server_add(const char *format, ...);

/*
 * Sends what was added, and reads as many replies. They stay until the next
 * one. False: that has failed, or one of them is an error.
 */
bool server_run(void);

/* Reply NUMBER as a string, or NULL; as a number, or 0. */
const char *server_string(int number);
int64_t server_number(int number);

/* The last reply was EXEC's, and nobody has crossed the transaction. */
bool server_has_executed(void);

/* Since the epoch by the server's clock, at NOW_NS of CLOCK_BOOTTIME. */
int64_t server_time(int64_t now_ns);

#endif
