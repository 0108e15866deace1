/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base.h"
#include "fleet/fleet.h"

#define MOST 65535 /* of a port, or DB */
#define DEFAULT_PORT 6379

/*
 * What follows the scheme. A "/" in user or password has to be %2F; an "@"
 * should be %40, and people forget that. Group 2 is USER, 3 PASSWORD, 4 HOST
 * or PATH; of TCP, 6 is PORT and 8 DB; of UNIX, 6 is DB.
 */
#define AS_USER "^(([^:/?#]*):([^/?#]+)@)?"
#define TCP AS_USER "(\\[[^]@/?#]+]|[^]:@/?#[]+)(:([0-9]+))?(/([0-9]*))?$"
#define UNIX AS_USER "(/[^?]*)(\\?db=([0-9]*))?$"
#define GROUPS 9

/* A group of FROM, decoded. False: it does not fit, or is not right. */
static bool
decode(char *room, size_t size, const char *from, regmatch_t group)
{
	size_t length = 0;

	for (regoff_t at = group.rm_so; at < group.rm_eo; at++) {
		char byte = from[at];

		if (byte == '%') {
			if (strspn(from + at + 1, "0123456789abcdefABCDEF") < 2)
				return false;
			byte = (char)strtoul(
			    (char[]) { from[at + 1], from[at + 2], '\0' }, NULL,
			    16);
			at += 2;
		}
		if (byte == '\0' || length + 1 >= size)
			return false;
		room[length++] = byte;
	}
	room[length] = '\0';
	return true;
}

/* The number that is a group of FROM, if it is there and is not empty. */
static void
read_number(long *number, const char *from, regmatch_t group)
{
	if (group.rm_so < group.rm_eo)
		*number = strtol(from + group.rm_so, NULL, 10);
}

static bool
parse(struct url *url, const char *from)
{
	regmatch_t match[GROUPS];
	regex_t regex;
	bool is_right;

	if (regcomp(&regex, url->is_unix ? UNIX : TCP, REG_EXTENDED) != 0)
		return false;
	is_right = regexec(&regex, from, GROUPS, match, 0) == 0;
	regfree(&regex);
	if (!is_right)
		return false;
	/* An address of IPv6. */
	if (from[match[4].rm_so] == '[') {
		match[4].rm_so++;
		match[4].rm_eo--;
	}
	url->port = DEFAULT_PORT;
	if (!url->is_unix)
		read_number(&url->port, from, match[6]);
	read_number(&url->db, from, match[url->is_unix ? 6 : 8]);
	return decode(url->user, sizeof url->user, from, match[2])
	    && decode(url->password, sizeof url->password, from, match[3])
	    && decode(url->host, sizeof url->host, from, match[4])
	    && url->port > 0 && url->port <= MOST && url->db <= MOST;
}

const char *
url_parse(struct url *url, const char *text)
{
	const char *from = text + length_before(text, ':');
	struct text shown = text_in(url->shown, sizeof url->shown);
	bool is_ipv6;

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
	is_ipv6 = !url->is_unix && strchr(url->host, ':') != NULL;
	text_part(&shown, text, (size_t)(from - text));
	text_add(&shown, url->is_unix ? ":" : is_ipv6 ? "://[" : "://");
	text_printable(&shown, url->host);
	text_add(&shown, is_ipv6 ? "]" : "");
	if (!url->is_unix)
		text_join(&shown, ":", NUMBER(url->port));
	return NULL;
}
