/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/waits/header_line.h"

/* How the value of a header is to be read. */
enum value_kind {
	KIND_HTTP,
	KIND_MILLISECONDS,
	KIND_SECONDS,
	KIND_RESET,
	KIND_REMAINING,
};

/* An array, because a pointer would have to be relocated at every start. */
struct header_row {
	char name[24];
	enum value_kind kind;
};

static const struct header_row headers[] = {
#define HEADER(name, kind, source) { name, KIND_##kind },
#include "core/waits/waits.def"
};

/* Seconds that are a whole number, or a date of HTTP; nothing else. */
static bool
read_http(const char *value, struct when *when)
{
	/* asctime(3) knows of no zone, and has no comma. */
	const char *zone = strchr(value, ',') != NULL ? " GMT" : "";
	const char *rest;
	int64_t seconds;

	if (count_parse(value, &seconds)) {
		when->kind = WHEN_DURATION;
		when->ns = saturating_multiply(seconds, NS_PER_S);
		return true;
	}
	rest = date_http(value, &when->date);
	if (rest != NULL)
		rest = date_match(rest, zone, &when->date);
	if (rest == NULL || *rest != '\0')
		return false;
	seconds = date_seconds(&when->date);
	when->kind = WHEN_EPOCH;
	when->ns = seconds < 0 ? 0 : saturating_multiply(seconds, NS_PER_S);
	return true;
}

static bool
read_header(const char *value, enum value_kind kind, struct when *when)
{
	const char *rest, *point;

	memset(when, 0, sizeof *when);
	if (kind == KIND_HTTP)
		return read_http(value, when);
	if (kind == KIND_RESET) {
		rest = when_number(value, NS_PER_S, when);
		return rest != NULL && *rest == '\0';
	}
	rest = decimal_end(value, &point);
	if (rest == NULL || *rest != '\0')
		return false;
	when->kind = WHEN_DURATION;
	when->ns = decimal_scale(value, point, rest,
	    kind == KIND_MILLISECONDS ? NS_PER_MS : NS_PER_S);
	return true;
}

/* The row of the header that TEXT begins with, or NULL; sets *VALUE. */
static const struct header_row *
header_at(const char *text, const char **value)
{
	for (size_t i = 0; i < ARRAY_LENGTH(headers); i++) {
		size_t length = strlen(headers[i].name);

		if (strncasecmp(text, headers[i].name, length) == 0
		    && text[length] == ':') {
			*value = skip_blanks(text + length + 1);
			return &headers[i];
		}
	}
	return NULL;
}

/* What the value, which has no blanks around it, makes of the header. */
static void
look_at_value(const struct header_row *row, const char *start, size_t length,
    struct header_line *header)
{
	char value[64];
	bool is_short = length < sizeof value;

	if (is_short) {
		memcpy(value, start, length);
		value[length] = '\0';
	}
	if (row->kind == KIND_REMAINING) {
		header->is_used_up
		    = is_short && length > 0 && strspn(value, "0") == length;
		return;
	}
	header->is_reset = row->kind == KIND_RESET && length > 0;
	if (length == 0)
		header->stated = STATED_EMPTY;
	else if (is_short && read_header(value, row->kind, &header->when))
		header->stated = STATED_READ;
	else
		header->stated = STATED_UNREADABLE;
}

struct header_line
header_line_read(const char *line, size_t length)
{
	struct header_line header = { .stated = STATED_UNWANTED };
	const char *name = skip_blanks(line), *end = line + length;
	const struct header_row *row;
	const char *value;

	if (*name == '<' || *name == '>')
		name = skip_blanks(name + 1);
	row = header_at(name, &value);
	if (row == NULL)
		return header;
	while (end > value && strchr(" \t\r", end[-1]) != NULL)
		end--;
	look_at_value(row, value, (size_t)(end - value), &header);
	header.text = name;
	header.length = (size_t)(end - name);
	return header;
}
