/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
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
	char names[32]; /* those of one or two letters in this case only */
	int64_t ns;
};

static const struct unit units[] = {
	{ "s sec secs second seconds", NS_PER_S },
	{ "m min mins minute minutes", NS_PER_MIN },
	{ "h hr hrs hour hours", 60 * NS_PER_MIN },
	{ "d day days", 24 * 60 * NS_PER_MIN },
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

/* The unit whose name is the letters at TEXT; sets *REST. */
static const struct unit *
scan_unit(const char *text, const char **rest)
{
	char word[16];
	size_t length = 0;

	while (length < sizeof word && is_letter(text[length])) {
		word[length] = text[length];
		length++;
	}
	*rest = text + length;
	if (length == 0 || is_letter(**rest))
		return NULL;
	for (size_t i = 0; length > 2 && i < length; i++)
		word[i] |= 0x20;
	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (words_have(units[i].names, word, length))
			return &units[i];
	return NULL;
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
	const char *rest = NULL, *point, *end, *after;
	int64_t before_ns = INT64_MAX, ns = 0;

	while ((end = decimal_end(text, &point)) != NULL) {
		const struct unit *unit = scan_unit(skip_blanks(end), &after);

		if (unit == NULL || unit->ns >= before_ns)
			break;
		ns = saturating_add(
		    ns, decimal_scale(text, point, end, unit->ns));
		before_ns = unit->ns;
		rest = after;
		text = next_part(after);
	}
	when->kind = WHEN_DURATION;
	when->ns = ns;
	return rest;
}

/* --- zones --- */

/* "+02:00", "-0500", "+01" */
static const char *
scan_offset(const char *text, struct when *when)
{
	int sign = *text == '-' ? -1 : 1, number[2] = { 0, 0 };

	if (*text != '+' && *text != '-')
		return NULL;
	text++;
	for (int i = 0; i < 2; i++) {
		const char *at = i == 1 && *text == ':' ? text + 1 : text;

		if (!is_digit(at[0]) || !is_digit(at[1])) {
			if (i == 0 || at > text)
				return NULL;
			break;
		}
		number[i] = (at[0] - '0') * 10 + (at[1] - '0');
		text = at + 2;
	}
	if (number[0] > 23 || number[1] > 59)
		return NULL;
	when->zone = ZONE_OFFSET;
	when->offset_s = sign * (number[0] * 60 + number[1]) * 60;
	return text;
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
		return rest;
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

/*
 * Reads a date or a time of day without its zone. Returns NULL if there is
 * none; if there is only the beginning of one, *BROKEN is set, too.
 */
static const char *
scan_fields(const char *text, struct when *when, bool *broken)
{
	struct date *date = &when->date;
	const char *rest;

	when->kind = WHEN_DATE;
	rest = date_http(text, date);
	if (rest == NULL)
		rest = date_iso(text, date);
	if (rest == NULL) {
		rest = date_of_year(text, date);
		if (rest != NULL) {
			when->kind = WHEN_DAY;
			date->year = 2000; /* which has a leap day */
			rest = date_time(rest, date);
			*broken = rest == NULL;
		}
	}
	if (rest != NULL)
		*broken = !date_is_there(date);
	if (rest != NULL || *broken)
		return rest;
	when->kind = WHEN_TIME;
	return date_time(text, date);
}

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
	bool broken = false;

	*when = nothing;
	rest = scan_fields(text, when, &broken);
	if (broken)
		return NULL;
	if (rest != NULL) {
		rest = scan_zone(rest, when);
	} else {
		*when = nothing;
		if (*text == '@')
			rest = scan_epoch(text + 1, when);
		if (rest == NULL)
			rest = scan_duration(text, when);
		if (rest == NULL)
			rest = when_number(text, NS_PER_S, when);
	}
	return rest != NULL && ends_before(rest) ? rest : NULL;
}

bool
when_parse(const char *text, struct when *when)
{
	const char *rest = when_scan(skip_blanks(text), when);

	return rest != NULL && rest[strspn(rest, " \t\r")] == '\0';
}
