/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "fleet/fleet.h"

#define MOST_DB 65535
#define DEFAULT_PORT 6379

/* FROM up to TO, decoded. False: it does not fit, or is not right. */
static bool
decode(char *room, size_t size, const char *from, const char *to)
{
	size_t length = 0;

	for (; from < to; from++) {
		char byte = *from;

		if (byte == '%') {
			char hex[3] = "";

			if (to - from < 3
			    || strspn(from + 1, "0123456789abcdefABCDEF") < 2)
				return false;
			memcpy(hex, from + 1, 2);
			byte = (char)strtoul(hex, NULL, 16);
			from += 2;
		}
		if (byte == '\0' || length + 1 >= size)
			return false;
		room[length++] = byte;
	}
	room[length] = '\0';
	return length > 0;
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
	if (colon == NULL
	    || (colon > from
	        && !decode(url->user, sizeof url->user, from, colon))
	    || !decode(url->password, sizeof url->password, colon + 1, at))
		return NULL;
	return at + 1;
}

/* "HOST[:PORT]", with brackets around one of IPv6. */
static bool
parse_host(struct url *url, const char *from, const char *end)
{
	bool in_brackets = *from == '[';
	const char *after
	    = memchr(from, in_brackets ? ']' : ':', (size_t)(end - from));
	char words[8];
	int64_t port = DEFAULT_PORT;

	if (after == NULL && !in_brackets)
		after = end;
	if (after == NULL
	    || !decode(url->host, sizeof url->host, from + in_brackets, after))
		return false;
	after += in_brackets;
	if (after != end
	    && (*after != ':' || !decode(words, sizeof words, after + 1, end)
	        || !count_parse(words, &port)))
		return false;
	url->port = (int)port;
	return port >= 1 && port <= 65535;
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

/* What follows the scheme. */
static bool
parse(struct url *url, const char *from)
{
	const char *end = from + strcspn(from, "/?#");

	from = parse_user(url, from, end);
	if (from == NULL)
		return false;
	if (!url->is_unix)
		return parse_host(url, from, end)
		    && (*end == '\0'
		        || (*end == '/' && parse_db(url, end + 1)));
	end = from + length_before(from, '?');
	return *from == '/' && decode(url->host, sizeof url->host, from, end)
	    && (*end == '\0'
	        || (strncmp(end, "?db=", 4) == 0 && parse_db(url, end + 4)));
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
		text_join(&text, ":", NUMBER(url->port));
}

const char *
url_parse(struct url *url, const char *text)
{
	const char *from = text + length_before(text, ':');

	*url = (struct url) { .is_unix = strncmp(text, "unix:", 5) == 0,
		.is_tls = strncmp(text, "rediss://", 9) == 0 };
	if (!url->is_unix && !url->is_tls && strncmp(text, "redis://", 8) != 0)
		return "BACKOFF_FLEET: expected redis://HOST, rediss://HOST "
		       "or unix:/PATH";
	if (!parse(url, from + (strncmp(from, "://", 3) == 0 ? 3 : 1)))
		return url->is_unix
		    ? "BACKOFF_FLEET: expected unix:/PATH or "
		      "unix://[USER]:PASSWORD@/PATH, and ?db=DB after it"
		    : "BACKOFF_FLEET: expected "
		      "redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]";
	show(url);
	return NULL;
}
