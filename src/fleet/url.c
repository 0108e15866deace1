/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/url.h"

#define MOST_DB 65535

static int
hex_digit(char byte)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = byte != '\0'
	    ? strchr(digits, byte >= 'A' ? byte | 32 : byte)
	    : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

/* FROM up to TO, decoded. False: it does not fit, or is not right. */
static bool
decode(char *room, size_t size, const char *from, const char *to)
{
	size_t length = 0;

	for (; from < to; from++) {
		char byte = *from;

		if (byte == '%') {
			int high = hex_digit(from[1]);
			int low = high >= 0 ? hex_digit(from[2]) : -1;

			if (low < 0 || from + 2 >= to || high + low == 0)
				return false;
			byte = (char)(high << 4 | low);
			from += 2;
		}
		if (length + 1 >= size)
			return false;
		room[length++] = byte;
	}
	room[length] = '\0';
	return true;
}

/* "[[USER]:PASSWORD@]": what follows, or NULL. */
static const char *
parse_user(struct url *url, const char *from, const char *end)
{
	const char *at = NULL, *colon;

	/* An @ in a password should be %40, and people forget that. */
	for (const char *each = from; each < end; each++)
		if (*each == '@')
			at = each;
	if (at == NULL)
		return from;
	colon = memchr(from, ':', (size_t)(at - from));
	if (colon == NULL || !decode(url->user, sizeof url->user, from, colon)
	    || !decode(url->password, sizeof url->password, colon + 1, at))
		return NULL;
	return at + 1;
}

static bool
parse_db(struct url *url, const char *from)
{
	int64_t db = 0;

	if (*from != '\0' && (!count_parse(from, &db) || db > MOST_DB))
		return false;
	url->db = (int)db;
	return true;
}

static bool
parse_port(struct url *url, const char *from, const char *end)
{
	int64_t port;

	strcpy(url->port, "6379");
	if (from == end)
		return true;
	return *from == ':'
	    && decode(url->port, sizeof url->port, from + 1, end)
	    && count_parse(url->port, &port) && port >= 1 && port <= 65535;
}

static const char *
parse_unix(struct url *url, const char *from)
{
	const char *end = from + strcspn(from, "?");

	if (strncmp(from, "//", 2) == 0) {
		const char *user = from + 2;

		from = parse_user(url, user, user + strcspn(user, "/?"));
		if (from == NULL)
			return "BACKOFF_FLEET: expected "
			       "unix://[USER]:PASSWORD@/PATH";
	}
	if (*from != '/')
		return "BACKOFF_FLEET: expected the whole path of a socket";
	if (!decode(url->host, sizeof url->host, from, end))
		return "BACKOFF_FLEET: the path of its socket is too long";
	if (*end != '\0'
	    && (strncmp(end, "?db=", 4) != 0 || !parse_db(url, end + 4)))
		return "BACKOFF_FLEET: expected nothing after the path but "
		       "?db=DB";
	return NULL;
}

static const char *
parse_tcp(struct url *url, const char *from)
{
	const char *end = from + strcspn(from, "/?#");
	const char *host = parse_user(url, from, end), *after;
	bool in_brackets;

	if (host == NULL)
		return "BACKOFF_FLEET: expected [USER]:PASSWORD before the @";
	in_brackets = *host == '[';
	after = memchr(host, in_brackets ? ']' : ':', (size_t)(end - host));
	if (after == NULL && !in_brackets)
		after = end;
	if (after == NULL
	    || !decode(url->host, sizeof url->host, host + in_brackets, after)
	    || url->host[0] == '\0')
		return "BACKOFF_FLEET: expected a host";
	if (!parse_port(url, after + in_brackets, end))
		return "BACKOFF_FLEET: expected a port from 1 to 65535";
	if (*end != '\0' && (*end != '/' || !parse_db(url, end + 1)))
		return "BACKOFF_FLEET: expected the number of a database after "
		       "the host";
	return NULL;
}

static void
show(struct url *url)
{
	struct text text = text_in(url->shown, sizeof url->shown);
	bool is_ipv6 = !url->is_unix && strchr(url->host, ':') != NULL;

	text_join(&text,
	    url->is_unix      ? "unix:"
	        : url->is_tls ? "rediss://"
	                      : "redis://",
	    is_ipv6 ? "[" : "");
	text_printable(&text, url->host);
	text_add(&text, is_ipv6 ? "]" : "");
	if (!url->is_unix)
		text_join(&text, ":", url->port);
}

const char *
url_parse(struct url *url, const char *text)
{
	const char *wrong;

	*url = (struct url) { .is_unix = strncmp(text, "unix:", 5) == 0,
		.is_tls = strncmp(text, "rediss://", 9) == 0 };
	if (url->is_unix)
		wrong = parse_unix(url, text + 5);
	else if (url->is_tls || strncmp(text, "redis://", 8) == 0)
		wrong = parse_tcp(url, text + (url->is_tls ? 9 : 8));
	else
		wrong = "BACKOFF_FLEET: expected redis://HOST, rediss://HOST "
		        "or unix:/PATH";
	show(url);
	return wrong;
}
