/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_FLEET_URL_H
#define BACKOFF_FLEET_URL_H
/*
 * Where the server is:
 *
 *   redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]     rediss:// with TLS
 *   unix:/PATH[?db=DB]     unix://[[USER]:PASSWORD@]/PATH[?db=DB]
 *
 * %XX stands for a byte in all but the scheme; HOST may be [IPv6].
 */

#include <stdbool.h>

struct url {
	bool is_unix, is_tls;
	char user[128], password[512]; /* "": there is none */
	char host[256]; /* or the path of the socket */
	int port, db;
	char shown[300]; /* in messages: without user and password */
};

/* NULL, or why TEXT is no URL, which quotes nothing of it. */
const char *url_parse(struct url *url, const char *text);

#endif
