/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/waits/json_key.h"

/* Arrays, because pointers would have to be relocated at every start. */
static const char keys[][12] = {
#define KEY(name, source) name,
#include "core/waits/waits.def"
};

/* The rest behind a quote, which may be escaped, or NULL. */
static const char *
skip_quote(const char *text)
{
	while (*text == '\\')
		text++;
	return *text == '"' ? text + 1 : NULL;
}

/* A string whose whole text is a WHEN. */
static bool
read_string(const char *text, int64_t unit_ns, struct when *when)
{
	char value[128];
	size_t length = strcspn(text, "\"\\");
	const char *rest;

	if (length >= sizeof value || text[length] == '\0')
		return false;
	memcpy(value, text, length);
	value[length] = '\0';
	if (unit_ns == NS_PER_MS) {
		memset(when, 0, sizeof *when);
		rest = when_number(value, unit_ns, when);
		return rest != NULL && *rest == '\0';
	}
	return when_parse(value, when);
}

/* The value behind the key; false: it is no WHEN. */
static bool
read_value(const char *text, int64_t unit_ns, struct when *when)
{
	const char *rest;

	text = skip_quote(text);
	if (text == NULL)
		return false;
	text = skip_blanks(text);
	if (*text != ':')
		return false;
	text = skip_blanks(text + 1);
	rest = skip_quote(text);
	if (rest != NULL)
		return read_string(rest, unit_ns, when);
	memset(when, 0, sizeof *when);
	rest = when_number(text, unit_ns, when);
	return rest != NULL && strchr(" \t\r,}]\\\"", *rest) != NULL;
}

bool
json_key_read(const char *word, struct when *when)
{
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		size_t length = strlen(keys[i]);
		const char *rest = word + length;
		int64_t unit_ns = NS_PER_S;

		if (strncmp(word, keys[i], length) != 0)
			continue;
		if (strncmp(rest, "_ms", 3) == 0
		    || strncmp(rest, "Ms", 2) == 0) {
			rest += *rest == '_' ? 3 : 2;
			unit_ns = NS_PER_MS;
		}
		if (read_value(rest, unit_ns, when))
			return true;
	}
	return false;
}
