/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_FLEET_H
#define BACKOFF_FLEET_FLEET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * url.c: where the server is.
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]     rediss:// with TLS
 *   unix:/PATH[?db=DB]     unix://[[USER]:PASSWORD@]/PATH[?db=DB]
 *
 * %XX stands for a byte in USER, PASSWORD, HOST and PATH; HOST may be [IPv6].
 */

struct url {
	bool is_unix, is_tls;
	char user[128], password[512]; /* "": there is none */
	char host[256]; /* or the path of the socket */
	long port, db;
	char shown[300]; /* in messages: without user and password */
};

/* NULL, or why TEXT is no URL, which quotes nothing of it. */
const char *url_parse(struct url *url, const char *text);

/*
 * server.c: commands to the server, and its replies, by hiredis, which knows
 * TCP and Unix sockets; TLS is by OpenSSL where configure has found it: the
 * server has to show a certificate of its name that is trusted by the system,
 * or by SSL_CERT_FILE and SSL_CERT_DIR. The connection, and all that is read by
 * one server_run(), take 250 ms at most. A failure of any kind closes the
 * connection, and server_why tells it.
 */

/*
 * Connects, unless that has been done, and asks for the server's time, unless
 * that was done AGE_NS ago, or later. If that fails, so does server_run(). If
 * the search for a name takes too long SIGALRM comes, which has to end the
 * process, as nothing else ends that.
 */
void server_begin(struct url *url, int64_t age_ns);

/* Another command, in the format of redisFormatCommand(). */
void server_add(const char *format, ...);

/*
 * Sends what was added, and reads as many replies; returns how many. They stay
 * until the next one. 0: that has failed, or one of them is an error.
 */
int server_run(void);

extern const char *server_why; /* that has failed */

/* Reply NUMBER as a string, or NULL; as a number, its elements, or 0. */
const char *server_string(int number);
int64_t server_number(int number);

/* Since the epoch by the server's clock, at NOW_NS of CLOCK_BOOTTIME. */
int64_t server_time(int64_t now_ns);

#endif
