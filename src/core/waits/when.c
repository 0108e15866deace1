/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/waits/when.h"

/* So many seconds, or more, are counted from 1970 on. */
#define EPOCH_FROM INT64_C(1000000000)
/* From here on, they are milliseconds. */
#define MILLISECONDS_FROM (1000 * EPOCH_FROM)

struct unit {
	char names[32];
	int64_t ns;
};

static const struct unit units[] = {
	{ "s sec secs second seconds", NS_PER_S },
	{ "m min mins minute minutes", NS_PER_MIN },
	{ "h hr hrs hour hours", 60 * NS_PER_MIN },
	{ "d day days", 24 * 60 * NS_PER_MIN },
	{ "w week weeks", 7 * 24 * 60 * NS_PER_MIN },
	{ "ms msec msecs", NS_PER_MS },
	{ "millisecond milliseconds", NS_PER_MS },
	{ "us microsecond microseconds", 1000 },
	{ "ns nanosecond nanoseconds", 1 },
};

/* Whether the token that ends before REST ends there for whoever reads it. */
static bool
ends_before(const char *rest)
{
	if (is_digit(*rest) || is_letter(*rest)
	    || strchr("_%@$=", *rest) != NULL)
		return *rest == '\0';
	if (strchr(".,", *rest) != NULL && is_letter(rest[-1])
	    && is_letter(rest[1]))
		return true; /* "in 5s.Try again", where a newline was lost */
	return strchr(".,:/+-", *rest) == NULL
	    || (!is_digit(rest[1]) && !is_letter(rest[1]));
}

/* --- numbers and durations --- */

const char *
when_number(const char *text, int64_t unit_ns, struct when *when)
{
	const char *point;
	const char *end = decimal_end(text, &point);
	int64_t whole;

	if (end == NULL)
		return NULL;
	/* Of units, as nanoseconds are too many for what is to come. */
	whole = decimal_scale(text, point, point, 1);
	if (unit_ns == NS_PER_S && whole >= MILLISECONDS_FROM)
		unit_ns = NS_PER_MS;
	when->kind = whole >= EPOCH_FROM * (NS_PER_S / unit_ns) ? WHEN_EPOCH
	                                                        : WHEN_DURATION;
	when->is_number = true;
	when->ns = decimal_scale(text, point, end, unit_ns);
	return end;
}

/*
 * The unit that TEXT begins with, perhaps behind what stands round a number
 * ("after '372' seconds", "a 5-minute break"); sets *REST.
 */
static const struct unit *
scan_unit(const char *text, const char **rest)
{
	char word[16];
	size_t length = 0;

	text = skip_blanks(text + strspn(text, "'\"`*"));
	text += *text == '-';
	if (strncmp(text, "\xc2\xb5s", 3) == 0) /* Go's microseconds */
		text += 2;
	for (; length < sizeof word && is_letter(text[length]); length++)
		word[length] = (char)(text[length] | 0x20);
	*rest = text + length;
	if (strncmp(*rest, "(s)", 3) == 0)
		*rest += 3;
	if (length == 1 && *word == 's' && text[-1] == '\xb5')
		memcpy(word, "us", length = 2);
	for (size_t i = 0; length > 0 && i < ARRAY_LENGTH(units); i++)
		if (words_have(units[i].names, word, length))
			return &units[i];
	return NULL;
}

/* "1,234.5", "an": so many units. */
static const char *
scan_amount(const char *text, int64_t unit_ns, int64_t *ns)
{
	static const char words[][6] = { "a", "an", "one", "two", "three",
		"four", "five", "six", "seven", "eight", "nine", "ten" };
	const char *point, *end = decimal_end(text, &point), *rest;

	for (int i = 0; end == NULL && i < (int)ARRAY_LENGTH(words); i++) {
		*ns = saturating_multiply(i < 2 ? 1 : i - 1, unit_ns);
		rest = skip_word(text, words[i]);
		if (rest != NULL)
			return rest;
	}
	if (end == NULL)
		return NULL;
	*ns = decimal_scale(text, point, end, unit_ns);
	while (*end == ',' && point == end) {
		rest = decimal_end(end + 1, &point);
		if (rest == NULL || point != end + 4)
			break;
		*ns = saturating_add(saturating_multiply(*ns, 1000),
		    decimal_scale(end + 1, point, rest, unit_ns));
		end = rest;
	}
	return end;
}

/* Where the next part of a compound would begin. */
static const char *
next_part(const char *text)
{
	const char *word;

	text = skip_blanks(text);
	if (*text == ',')
		text = skip_blanks(text + 1);
	word = skip_word(text, "and");
	return word != NULL ? skip_blanks(word) : text;
}

/* "1h 3m 20s", "1 hour and 30 minutes"; each unit less than the one before. */
static const char *
scan_duration(const char *text, struct when *when)
{
	const char *rest = NULL, *end, *after;
	int64_t before_ns = INT64_MAX, ns;

	when->kind = WHEN_DURATION;
	while ((end = scan_amount(text, 1, &ns)) != NULL) {
		const struct unit *unit = scan_unit(end, &after);

		if (unit == NULL || unit->ns >= before_ns)
			break;
		scan_amount(text, unit->ns, &ns);
		when->ns = saturating_add(when->ns, ns);
		before_ns = unit->ns;
		rest = after;
		text = next_part(after);
	}
	return rest;
}

/* --- zones --- */

/* "+02:00", "-0500", "+01", "-3" */
static const char *
scan_offset(const char *text, struct when *when)
{
	int sign = *text == '-' ? -1 : 1, hour, minute = 0;
	const char *end = text + 1 + strspn(text + 1, "0123456789");
	long number = strtol(text + 1, NULL, 10);

	if ((*text != '+' && *text != '-') || end - text < 2 || end - text > 5)
		return NULL;
	hour = (int)(end - text > 3 ? number / 100 : number);
	minute = (int)(end - text > 3 ? number % 100 : 0);
	if (*end == ':' && end - text == 3) {
		minute = (int)strtol(end + 1, NULL, 10);
		if (strspn(end + 1, "0123456789") != 2)
			return NULL;
		end += 3;
	}
	if (hour > 23 || minute > 59)
		return NULL;
	when->zone = ZONE_OFFSET;
	when->offset_s = sign * (hour * 60 + minute) * 60;
	return end;
}

/*
 * Takes NAME[0..LENGTH) for a zone. It will name a file, so it has neither a
 * point nor a leading slash.
 */
static bool
take_zone(const char *name, size_t length, struct when *when)
{
	if (length == 0 || length >= sizeof when->zone_name || *name == '/')
		return false;
	if (length == 3
	    && (strncasecmp(name, "UTC", 3) == 0
	        || strncasecmp(name, "GMT", 3) == 0)) {
		when->zone = ZONE_OFFSET;
		return true;
	}
	for (size_t i = 0; i < length; i++)
		if (!is_letter(name[i]) && !is_digit(name[i])
		    && strchr("_+/-", name[i]) == NULL)
			return false;
	when->zone = ZONE_NAMED;
	memcpy(when->zone_name, name, length);
	when->zone_name[length] = '\0';
	return true;
}

/* "ET", "MSK", "CEST": two to four capitals. */
static size_t
abbreviation(const char *text)
{
	size_t length = 0;

	while (text[length] >= 'A' && text[length] <= 'Z')
		length++;
	if (length < 2 || length > 4 || !ends_before(text + length))
		return 0;
	return length;
}

/*
 * The zone behind a date or a time of day, if there is one. NULL: there is
 * one that cannot be read.
 */
static const char *
scan_zone(const char *text, struct when *when)
{
	static const char zero[][4] = { "UTC", "GMT", "Z" };
	const char *at = skip_blanks(text);
	const char *rest = scan_offset(at, when);
	size_t length;

	when->zone = rest != NULL ? ZONE_OFFSET : ZONE_LOCAL;
	if (rest != NULL)
		return rest;
	when->offset_s = 0;
	for (size_t i = 0; i < ARRAY_LENGTH(zero); i++) {
		rest = skip_word(at, zero[i]);
		if (rest == NULL)
			continue;
		when->zone = ZONE_OFFSET;
		at = scan_offset(rest, when); /* "GMT-3" */
		return at != NULL ? at : rest;
	}
	if (*at == '(') {
		length = strcspn(at + 1, " \t()");
		if (at[1 + length] != ')')
			return text; /* it is a remark, or has no end */
		return take_zone(at + 1, length, when) ? at + length + 2 : NULL;
	}
	length = abbreviation(at);
	if (length == 0)
		return text;
	return take_zone(at, length, when) ? at + length : NULL;
}

/* --- all of them --- */

/* "@1788625200" */
static const char *
scan_epoch(const char *text, struct when *when)
{
	const char *point, *end = decimal_end(text, &point);

	if (end == NULL)
		return NULL;
	when->kind = WHEN_EPOCH;
	when->ns = decimal_scale(text, point, end, NS_PER_S);
	return end;
}

const char *
when_scan(const char *text, struct when *when)
{
	static const struct when nothing;
	const char *rest;
	bool broken;

	*when = nothing;
	rest = date_scan(text, &when->date, &broken);
	if (broken)
		return NULL;
	if (rest != NULL) {
		when->kind = when->date.month == 0 ? WHEN_TIME
		    : when->date.year == 0         ? WHEN_DAY
		                                   : WHEN_DATE;
		rest = scan_zone(rest, when);
	} else {
		if (*text == '@')
			rest = scan_epoch(text + 1, when);
		if (rest == NULL)
			rest = scan_duration(text, when);
		if (rest == NULL)
			rest = when_number(text, NS_PER_S, when);
	}
	return rest != NULL && ends_before(rest) ? rest : NULL;
}

const char *
when_clock(const char *text, struct when *when)
{
	static const char hours[][6] = { "h", "hr", "hrs", "hour", "hours" };
	const char *end = text, *rest;
	int64_t sum = 0;
	int colons = 0;

	for (;; end++) {
		size_t digits = strspn(end, "0123456789");

		if (digits < 1 || digits > 4
		    || (colons > 0 && (digits != 2 || *end > '5')))
			return NULL;
		sum = sum * 60 + strtol(end, NULL, 10);
		end += digits;
		if (*end != ':' || ++colons > 2)
			break;
	}
	for (size_t i = 0; colons == 1 && i < ARRAY_LENGTH(hours); i++)
		if (skip_word(skip_blanks(end), hours[i]) != NULL)
			sum *= 60;
	rest = when_scan(text, when);
	if (colons == 0 || !ends_before(end) || (rest != NULL && rest > end))
		return NULL;
	*when = (struct when) { .kind = WHEN_DURATION, .ns = sum * NS_PER_S };
	return end;
}

bool
when_parse(const char *text, struct when *when)
{
	const char *rest = when_scan(skip_blanks(text), when);

	return rest != NULL && rest[strspn(rest, " \t\r")] == '\0';
}
