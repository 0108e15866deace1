/* SPDX-License-Identifier: MIT */
/*
 * Where a fleet's server is.
 */
#include <config.h>

#include "core/base/base.h"
#include "fleet/fleet.h"
#include "unit/tap.h"

static void
is(const char *text, const char *shown, const char *user, const char *password,
    int db)
{
	struct url url;
	const char *wrong = url_parse(&url, text);

	is_string(wrong != NULL ? wrong : "", "", text);
	is_string(url.shown, shown, "what is shown");
	is_string(url.user, user, "the user");
	is_string(url.password, password, "the password");
	is_int(url.db, db, "the database");
}

static void
is_wrong(const char *text)
{
	struct url url;
	const char *wrong = url_parse(&url, text);

	ok(wrong != NULL && strstr(wrong, "secret") == NULL
	        && strstr(url.shown, "secret") == NULL,
	    text);
}

/* START, and a host of more bytes than any has. */
static void
too_long(const char *start)
{
	char text[1024];
	size_t length = strlen(start);

	memset(text, 'x', sizeof text);
	memcpy(text, start, length);
	text[sizeof text - 1] = '\0';
	is_wrong(text);
}

TEST(url)
{
	static const char *const wrong[] = { "", "host",
		"http://me:secret@host", "redis:/me:secret@host", "redis://",
		"redis://me:secret@", "redis://secret@host",
		"redis://me:secret@host:", "redis://me:secret@host:65536",
		"redis://me:secret@host:-1", "redis://me:secret@host/1x",
		"redis://me:secret@host/70000", "redis://me:secret%@host",
		"redis://me:secret%4@host", "redis://me:secret%00@host",
		"redis://me:secret@host?db=1", "redis://me:secret@[::1",
		"redis://me:secret@[::1]x", "unix:secret",
		"unix:", "unix:/run/redis?x=1", "unix://secret@/run/redis" };
	struct url url;

	is("redis://host", "redis://host:6379", "", "", 0);
	is("redis://host/", "redis://host:6379", "", "", 0);
	is("redis://host:7/15", "redis://host:7", "", "", 15);
	is("redis://:secret@host", "redis://host:6379", "", "secret", 0);
	is("redis://me:secret@host:1", "redis://host:1", "me", "secret", 0);
	is("redis://me:a@b:c@host", "redis://host:6379", "me", "a@b:c", 0);
	is("redis://%6de:%2F%3a%40@host", "redis://host:6379", "me", "/:@", 0);
	is("rediss://[::1]:7", "rediss://[::1]:7", "", "", 0);
	is("rediss://:x@[fe80::1]/2", "rediss://[fe80::1]:6379", "", "x", 2);
	is("unix:/run/redis", "unix:/run/redis", "", "", 0);
	is("unix:///run/redis?db=3", "unix:/run/redis", "", "", 3);
	is("unix://me:secret@/run/a%20b", "unix:/run/a b", "me", "secret", 0);
	url_parse(&url, "rediss://host");
	ok(url.is_tls && !url.is_unix, "rediss is TLS");
	is_int(url.port, 6379, "the usual port");

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
		is_wrong(wrong[i]);
	too_long("unix:/");
	too_long("redis://");
	too_long("redis://[");
}
