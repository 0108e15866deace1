/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/waits/when.h"

/* --- dates and times of day --- */

#define DAY (24 * 60 * 60)

static const char weekdays[][10] = { "Sunday", "Monday", "Tuesday", "Wednesday",
	"Thursday", "Friday", "Saturday" };
static const char months[][10]
    = { "January", "February", "March", "April", "May", "June", "July",
	      "August", "September", "October", "November", "December" };

/*
 * Longer ones first: see match() for the letters. RFC 9110, 5.6.7, has the
 * first three; the two that lack a year come last.
 */
static const char formats[][20]
    = { "%a, %d %b %Y %T", "%a, %d-%b-%y %T", "%a %b %d %T %Y", "%Y-%m-%dT%T",
	      "%Y-%m-%d %T", "%Y/%m/%d %T", "%d %b %Y, %T", "%b %d, %Y, %T",
	      "%a, %b %d, %Y, %T", "%m/%d/%Y, %H", "%b %d, %T", "%d %b, %T" };

/* One of NAMES, or its first three letters; sets *INDEX. */
static const char *
scan_name(const char *text, const char names[][10], int count, int *index)
{
	for (*index = 0; *index < count; ++*index) {
		size_t length;

		if (((*text ^ names[*index][0]) & 31) != 0)
			continue;
		length = strlen(names[*index]);
		if (strncasecmp(text, names[*index], length) != 0)
			length = 3;
		if (strncasecmp(text, names[*index], length) == 0
		    && !is_letter(text[length]))
			return text + length;
	}
	return NULL;
}

/* A year begins with March, so that a leap day is its last one. */
static int64_t
days_before(int64_t year, int month)
{
	int64_t shifted = month > 2 ? year : year - 1;
	int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
	int64_t of_era = shifted - era * 400;
	int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
	    - 719468;
}

int64_t
date_seconds(const struct date *date)
{
	return (days_before(date->year, date->month) + date->day - 1) * DAY
	    + date->second;
}

bool
date_is_there(const struct date *date)
{
	int64_t next_year = date->month == 12 ? date->year + 1 : date->year;

	return date->month >= 1 && date->month <= 12 && date->day >= 1
	    && date->day <= days_before(next_year, date->month % 12 + 1)
	        - days_before(date->year, date->month);
}

/* A number up to MOST, of LEAST digits or as many as DIGITS. */
static const char *
scan_number(const char *text, int most, int least, int digits, int *number)
{
	int count = 0;

	*number = 0;
	for (; count < digits && is_digit(*text); count++)
		*number = *number * 10 + (*text++ - '0');
	return count < least || *number > most || is_digit(*text) ? NULL : text;
}

/* Makes *HOUR, 1..12, one of 24 by the "am" or "pm" behind it, or NULL. */
static const char *
scan_half(const char *text, int *hour)
{
	const char *am = skip_pattern(skip_blanks(text), "(am|a.m.)");
	const char *pm = skip_pattern(skip_blanks(text), "(pm|p.m.)");

	if ((am == NULL && pm == NULL) || *hour < 1 || *hour > 12)
		return NULL;
	*hour = *hour % 12 + (pm != NULL ? 12 : 0);
	return am != NULL ? am : pm;
}

/* "3pm", "3:20am", "15:04", "15:04:05.5"; with NEEDS_HALF not without one. */
static const char *
scan_time(const char *text, bool needs_half, int *of_day)
{
	int hour, minute = 0, second = 0;
	const char *rest, *half;

	rest = scan_number(text, 23, 1, 2, &hour);
	if (rest == NULL)
		return NULL;
	needs_half |= *rest != ':';
	if (*rest == ':')
		rest = scan_number(rest + 1, 59, 2, 2, &minute);
	if (rest != NULL && *rest == ':')
		rest = scan_number(rest + 1, 60, 2, 2, &second);
	if (rest == NULL)
		return NULL;
	if (*rest == '.' && is_digit(rest[1])) {
		rest += 1 + strspn(rest + 1, "0");
		second += is_digit(*rest) && second < 60;
		rest += strspn(rest, "0123456789");
	}
	half = scan_half(rest, &hour);
	*of_day = (hour * 60 + minute) * 60 + second;
	return half != NULL ? half : needs_half ? NULL : rest;
}

/* "5", "05", "5th" */
static const char *
scan_day(const char *text, int *day)
{
	const char *rest = scan_number(text, 31, 1, 2, day), *end = NULL;

	if (rest != NULL)
		end = skip_pattern(rest, "(st|nd|rd|th)");
	return end != NULL ? end : rest;
}

static const char *
match_field(const char *text, char field, struct date *date)
{
	int number = 0;
	const char *rest;

	switch (field) {
	case 'a':
		return scan_name(
		    text, weekdays, ARRAY_LENGTH(weekdays), &number);
	case 'b':
		rest = scan_name(text, months, ARRAY_LENGTH(months), &number);
		date->month = number + 1;
		return rest;
	case 'm':
		return scan_number(text, 12, 1, 2, &date->month);
	case 'd':
		return scan_day(text, &date->day);
	case 'Y':
		rest = scan_number(text, 9999, 4, 4, &number);
		date->year = number;
		return rest;
	case 'y':
		rest = scan_number(text, 99, 2, 2, &number);
		date->year = number + (number < 69 ? 2000 : 1900);
		return rest;
	default:
		return scan_time(text, field == 'H', &date->second);
	}
}

/*
 * As strptime(3) does, with %a %b %m %d %Y %y; %T is a time of day, and %H one
 * with AM or PM. A comma may be missing, and " at " may follow it.
 */
static const char *
match(const char *text, const char *format, struct date *date)
{
	for (; *format != '\0' && text != NULL; format++) {
		if (*format == '%') {
			text = match_field(text, *++format, date);
		} else if (*format == ',') {
			const char *at = skip_pattern(
			    skip_blanks(text + (*text == ',')), "at");

			text = at != NULL ? at : text + (*text == ',');
		} else if (*format == ' ') {
			text = skip_blanks(text);
		} else if ((*text | 0x20) != (*format | 0x20)) {
			return NULL;
		} else {
			text++;
		}
	}
	return text;
}

/*
 * Reads the date, or the time of day, that TEXT begins with, without its zone.
 * Decimals of a second are rounded up, so that nobody comes too early. Returns
 * the rest of TEXT, or NULL; *BROKEN tells that it begins like a date.
 */
static const char *
scan_date(const char *text, struct date *date, bool *broken)
{
	static const struct date none;
	struct date some;
	const char *rest;

	*broken = false;
	if (!is_digit(*text) && match_field(text, 'a', &some) == NULL
	    && match_field(text, 'b', &some) == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
		*date = none;
		rest = match(text, formats[i], date);
		if (rest == NULL)
			continue;
		/* Without a year, one that has a leap day. */
		some = *date;
		some.year = date->year > 0 ? date->year : 2000;
		*broken = !date_is_there(&some);
		return *broken ? NULL : rest;
	}
	*date = none;
	*broken = match(text, "%d %b", date) != NULL;
	*date = none;
	return *broken ? NULL : scan_time(text, false, &date->second);
}

int
time_of_day_parse(const char *text)
{
	size_t length = strlen(text);
	int second;

	if ((length != 5 && length != 8) || text[2] != ':'
	    || strspn(text, "0123456789:") < length
	    || scan_time(text, false, &second) != text + length
	    || (length == 8 && text[6] == '6')) /* a leap second */
		return -1;
	return second;
}

/* --- a WHEN --- */

/* So many seconds, or more, are counted from 1970 on. */
#define EPOCH_FROM INT64_C(1000000000)
/* From here on, they are milliseconds. */
#define MILLISECONDS_FROM (1000 * EPOCH_FROM)

struct unit {
	char names[40];
	int64_t ns;
};

#define MICROSECONDS 6
static const struct unit units[] = {
	{ "s sec secs second seconds", NS_PER_S },
	{ "m min mins minute minutes", NS_PER_MIN },
	{ "h hr hrs hour hours", 60 * NS_PER_MIN },
	{ "d day days", 24 * 60 * NS_PER_MIN },
	{ "w week weeks", 7 * 24 * 60 * NS_PER_MIN },
	{ "ms msec msecs millisecond milliseconds", NS_PER_MS },
	[MICROSECONDS] = { "us microsecond microseconds", 1000 },
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

const char *
when_number(const char *text, int64_t unit_ns, struct when *when)
{
	const char *point;
	const char *end = decimal_end(text, &point);
	int64_t whole;

	if (end == NULL)
		return NULL;
	*when = (struct when) { .is_number = true };
	/* Of units, as nanoseconds are too many for what is to come. */
	whole = decimal_scale(text, point, point, 1);
	if (unit_ns == NS_PER_S && whole >= MILLISECONDS_FROM)
		unit_ns = NS_PER_MS;
	when->kind = whole >= EPOCH_FROM * (NS_PER_S / unit_ns) ? WHEN_EPOCH
	                                                        : WHEN_DURATION;
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
	/* Go prints a micro sign, others a Greek mu. */
	if ((strncmp(text, "\xc2\xb5s", 3) == 0
	        || strncmp(text, "\xce\xbcs", 3) == 0)
	    && !is_letter(text[3])) {
		*rest = text + 3;
		return &units[MICROSECONDS];
	}
	for (; length < sizeof word && is_letter(text[length]); length++)
		word[length] = (char)(text[length] | 0x20);
	*rest = text + length;
	if (strncmp(*rest, "(s)", 3) == 0)
		*rest += 3;
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
		rest = skip_pattern(text, words[i]);
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
		end = skip_pattern(skip_blanks(after), "(, and|,|and)");
		text = skip_blanks(end != NULL ? end : after);
	}
	return rest;
}

/* "+02:00", "-0500", "+01", "-3" */
static const char *
scan_offset(const char *text, struct when *when)
{
	static const char digits[] = "0123456789";
	int sign = *text == '-' ? -1 : 1, number, minute = 0;
	size_t length;

	if (*text != '+' && *text != '-')
		return NULL;
	length = strspn(++text, digits);
	if (length == 0 || length > 4)
		return NULL;
	number = (int)strtol(text, NULL, 10);
	if (length > 2) {
		minute = number % 100;
		number /= 100;
	} else if (length == 2 && text[2] == ':'
	    && strspn(text + 3, digits) == 2) {
		minute = (int)strtol(text + 3, NULL, 10);
		length += 3;
	}
	if (number > 23 || minute > 59)
		return NULL;
	when->zone = ZONE_OFFSET;
	when->offset_s = sign * (number * 60 + minute) * 60;
	return text + length;
}

/*
 * The zone behind a date or a time of day, if there is one: "UTC", "GMT-3",
 * "+02:00", "(Europe/Amsterdam)", "MSK". NULL: there is one that cannot be
 * read. Its name will be that of a file, without a point or a leading slash.
 */
static const char *
scan_zone(const char *text, struct when *when)
{
	const char *at = skip_blanks(text), *name = at + (*at == '(');
	const char *zero = skip_pattern(name, "(utc|gmt|z)"), *end;
	const char *rest = zero != NULL ? zero : name;
	size_t length = strcspn(name, " \t()"), capitals = 0;

	end = scan_offset(rest, when);
	rest = end != NULL ? end : rest;
	if (rest > name && (at == name || *rest == ')')) {
		when->zone = ZONE_OFFSET;
		return at == name ? rest : rest + 1;
	}
	while (name[capitals] >= 'A' && name[capitals] <= 'Z')
		capitals++;
	if (at == name)
		length = capitals;
	if (at == name ? length < 2 || length > 4 || !ends_before(at + length)
	               : name[length] != ')')
		return text; /* what follows is something else */
	if (length == 0 || length >= sizeof when->zone_name || *name == '/')
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (!is_of_word(name[i]) && strchr("+/-", name[i]) == NULL)
			return NULL;
		when->zone_name[i] = name[i];
	}
	when->zone = ZONE_NAMED;
	return at == name ? at + length : name + length + 1;
}

const char *
when_scan(const char *text, struct when *when)
{
	static const struct when nothing;
	const char *rest, *point;
	bool broken;

	*when = nothing;
	rest = scan_date(text, &when->date, &broken);
	if (broken)
		return NULL;
	if (rest != NULL) {
		when->kind = when->date.month == 0 ? WHEN_TIME
		    : when->date.year == 0         ? WHEN_DAY
		                                   : WHEN_DATE;
		rest = scan_zone(rest, when);
	} else if (*text == '@') {
		rest = decimal_end(text + 1, &point);
		if (rest == NULL)
			return NULL;
		when->kind = WHEN_EPOCH;
		when->ns = decimal_scale(text + 1, point, rest, NS_PER_S);
	} else {
		rest = scan_duration(text, when);
		if (rest == NULL)
			rest = when_number(text, NS_PER_S, when);
	}
	return rest != NULL && ends_before(rest) ? rest : NULL;
}

const char *
when_clock(const char *text, struct when *when)
{
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
	if (colons == 1
	    && skip_pattern(skip_blanks(end), "(h|hr|hrs|hour|hours)") != NULL)
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
