/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/base/array.h"
#include "process/calendar.h"
#include "streams/line_regex.h"
#include "streams/wait_scan.h"

/* The longest text that a group may match; no WHEN is longer. */
#define GROUP 256

const char *
wait_scan_add(struct wait_scan *scan, const char *text)
{
	struct wait_pointer pointer = { .text = text };
	const char *expected;

	if (scan->count == WAIT_POINTERS)
		return "expected at most 64 of them";
	expected = line_regex_of_user(&pointer.regex, text, 0, pointer.literal);
	if (expected == NULL)
		scan->pointers[scan->count++] = pointer;
	return expected;
}

void
wait_scan_reset(struct wait_scan *scan)
{
	waits_reset(&scan->waits);
	scan->waits.has_zone = calendar_has_zone;
}

/* The first group is the WHEN, or what follows the match if there is none. */
static void
point(struct waits *waits, const char *line, const regmatch_t matches[2],
    bool has_group)
{
	char group[GROUP] = "";
	size_t length;

	if (!has_group) {
		waits_point(waits, WAIT_REGEX, line + matches[0].rm_eo);
		return;
	}
	if (matches[1].rm_so >= 0) {
		length = (size_t)(matches[1].rm_eo - matches[1].rm_so);
		if (length >= sizeof group)
			length = sizeof group - 1;
		memcpy(group, line + matches[1].rm_so, length);
		group[length] = '\0';
	}
	waits_point(waits, WAIT_REGEX, group);
}

/* For want of memory musl returns REG_ESPACE, but glibc REG_NOMATCH. */
static bool
look_where_pointed(struct wait_scan *scan, const char *line)
{
	for (size_t i = 0; i < scan->count; i++) {
		const struct wait_pointer *pointer = &scan->pointers[i];
		regmatch_t matches[2];

		if (pointer->literal[0] != '\0'
		    && strstr(line, pointer->literal) == NULL)
			continue;
		errno = 0;
		if (regexec(&pointer->regex, line, ARRAY_LENGTH(matches),
		        matches, 0)
		    == 0)
			point(&scan->waits, line, matches,
			    pointer->regex.re_nsub > 0);
		else if (errno == ENOMEM)
			return false;
	}
	return true;
}

bool
wait_scan_line(
    struct wait_scan *scan, const char *line, size_t length, bool has_anchor)
{
	struct stated_wait *header = &scan->waits.found[WAIT_HEADER];

	/* There are headers, though perhaps none that states a wait. */
	if (header->stated == STATED_MISSING
	    && strncmp(line + strspn(line, " <"), "HTTP/", 5) == 0)
		header->stated = STATED_EMPTY;
	if (has_anchor)
		waits_look_at_header(&scan->waits, line, length);
	if (has_anchor && scan->wanted == WANTED_ALL)
		waits_look_at_text(&scan->waits, line, length);
	return scan->count == 0 || look_where_pointed(scan, line);
}
