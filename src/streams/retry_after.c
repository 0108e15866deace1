/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <strings.h>
#include <time.h>

#include "core/array.h"
#include "core/duration.h"
#include "streams/retry_after.h"

#define UNREADABLE (-1)

/* The current format, and the two obsolete ones (RFC 9110, 5.6.7). */
static int64_t
parse_date(const char *text, int64_t epoch_ns)
{
	static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT",
		"%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y" };

	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		struct tm tm = { 0 };
		const char *rest = strptime(text, forms[i], &tm);
		time_t at;

		if (rest == NULL || *rest != '\0')
			continue;
		at = timegm(&tm);
		if (at <= epoch_ns / NS_PER_S)
			return 0;
		return saturating_multiply(at, NS_PER_S) - epoch_ns;
	}
	return UNREADABLE;
}

/* The wait that it is, as seconds or a date; or UNREADABLE. */
static int64_t
parse_value(const char *text, size_t length, int64_t epoch_ns)
{
	char value[64];
	int64_t seconds;

	if (length >= sizeof value)
		return UNREADABLE;
	memcpy(value, text, length);
	value[length] = '\0';
	if (count_parse(value, &seconds))
		return saturating_multiply(seconds, NS_PER_S);
	return parse_date(value, epoch_ns);
}

void
retry_after_look(struct retry_after *found, const char *line, size_t length,
    int64_t epoch_ns)
{
	static const char name[] = "Retry-After:";
	size_t skipped = strspn(line, " \t");
	enum header header = HEADER_READ;
	int64_t wait_ns;

	if (skipped < length && strchr("<>", line[skipped]) != NULL)
		skipped += 1 + strspn(line + skipped + 1, " \t");
	if (skipped + sizeof name - 1 > length
	    || strncasecmp(line + skipped, name, sizeof name - 1) != 0)
		return;
	skipped += sizeof name - 1;
	while (skipped < length && strchr(" \t", line[skipped]) != NULL)
		skipped++;
	while (length > skipped && strchr(" \t\r", line[length - 1]) != NULL)
		length--;
	wait_ns = parse_value(line + skipped, length - skipped, epoch_ns);
	if (wait_ns >= 0)
		found->wait_ns = wait_ns;
	else
		header = skipped == length ? HEADER_EMPTY : HEADER_UNREADABLE;
	if (header > found->header)
		found->header = header;
}
