/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "core/base/base.h"
#include "core/waits/waits.h"

/* In seconds. */
#define QUARTER (15 * 60)
#define DAY (24 * 60 * 60)

/* --- dates and times of day --- */

static const char weekdays[][10] = { "Sunday", "Monday", "Tuesday", "Wednesday",
	"Thursday", "Friday", "Saturday" };
static const char months[][10]
    = { "January", "February", "March", "April", "May", "June", "July",
	      "August", "September", "October", "November", "December" };

/*
 * Longer ones first: see match() for the letters. RFC 9110, 5.6.7, has the
 * first three; those that lack a year come last, and "5 May" lacks more.
 */
static const char formats[][20] = { "%a, %d %b %Y %T", "%a, %d-%b-%y %T",
	"%a %b %d %T %Y", "%Y-%m-%dT%T", "%Y-%m-%d %T", "%Y/%m/%d %T",
	"%d %b %Y, %T", "%b %d, %Y, %T", "%a, %b %d, %Y, %T", "%m/%d/%Y, %H",
	"%b %d, %T", "%d %b, %T", "%d %b", "%T" };

/* One of NAMES, or its first three letters; sets *INDEX. */
static const char *
scan_name(const char *text, const char names[][10], int count, int *index)
{
	for (*index = 0; *index < count; ++*index) {
		size_t length = strlen(names[*index]);

		/* Most texts begin with no letter of a name. */
		if (((*text ^ names[*index][0]) & 31) != 0)
			continue;
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

/* "3pm", "3:20am", "15:04", "15:04:05.5"; with NEEDS_HALF not without one. */
static const char *
scan_time(const char *text, bool needs_half, int *of_day)
{
	int hour, minute = 0, second = 0;
	const char *rest = scan_number(text, 23, 1, 2, &hour), *half, *end;

	if (rest == NULL)
		return NULL;
	needs_half |= *rest != ':';
	if (*rest == ':')
		rest = scan_number(rest + 1, 59, 2, 2, &minute);
	if (rest != NULL && *rest == ':') {
		rest = scan_number(rest + 1, 60, 2, 2, &second);
		if (rest != NULL && *rest == '.' && is_digit(rest[1])) {
			rest += 1 + strspn(rest + 1, "0");
			second += is_digit(*rest) && second < 60;
			rest += strspn(rest, "0123456789");
		}
	}
	if (rest == NULL)
		return NULL;
	half = skip_blanks(rest);
	end = skip_pattern(half, "(am|pm|a.m.|p.m.)");
	if (end != NULL && hour >= 1 && hour <= 12) {
		hour = hour % 12 + ((*half | 0x20) == 'p' ? 12 : 0);
		rest = end;
	} else if (needs_half) {
		return NULL;
	}
	*of_day = (hour * 60 + minute) * 60 + second;
	return rest;
}

static const char *
match_field(const char *text, char field, struct date *date)
{
	int index;
	const char *rest, *end = NULL;

	switch (field) {
	case 'a':
		return scan_name(
		    text, weekdays, ARRAY_LENGTH(weekdays), &index);
	case 'b':
		rest = scan_name(text, months, ARRAY_LENGTH(months), &index);
		date->month = index + 1;
		return rest;
	case 'm':
		return scan_number(text, 12, 1, 2, &date->month);
	case 'd': /* "5", "05", "5th" */
		rest = scan_number(text, 31, 1, 2, &date->day);
		if (rest != NULL)
			end = skip_pattern(rest, "(st|nd|rd|th)");
		return end != NULL ? end : rest;
	case 'Y':
		return scan_number(text, 9999, 4, 4, &date->year);
	case 'y':
		rest = scan_number(text, 99, 2, 2, &date->year);
		date->year += date->year < 69 ? 2000 : 1900;
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
 * the rest of TEXT, or NULL; *BROKEN tells that there is no such date.
 */
static const char *
scan_date(const char *text, struct date *date, bool *broken)
{
	const char *rest = NULL;
	size_t tried = 0;

	while (rest == NULL && tried < ARRAY_LENGTH(formats)) {
		*date = (struct date) { .second = -1 };
		rest = match(text, formats[tried++], date);
	}
	/* The last format has no date; the year 0, for none, a leap day. */
	*broken = rest != NULL && tried < ARRAY_LENGTH(formats)
	    && (date->second < 0 || !date_is_there(date));
	return rest;
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

static const struct unit units[] = {
	{ "s sec secs second seconds", NS_PER_S },
	{ "m min mins minute minutes", NS_PER_MIN },
	{ "h hr hrs hour hours", 60 * NS_PER_MIN },
	{ "d day days", 24 * 60 * NS_PER_MIN },
	{ "w week weeks", 7 * 24 * 60 * NS_PER_MIN },
	{ "ms msec msecs millisecond milliseconds", NS_PER_MS },
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
	char word[16] = "u";
	size_t length;

	text = skip_blanks(text + strspn(text, "'\"`*"));
	text += *text == '-';
	/* Go prints a micro sign, others a Greek mu. */
	length = strncmp(text, "\xc2\xb5", 2) == 0
	    || strncmp(text, "\xce\xbc", 2) == 0;
	text += length;
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
	int sign = *text == '-' ? -1 : 1, number, minute = 0;
	const char *rest, *end;

	if (*text != '+' && *text != '-')
		return NULL;
	rest = scan_number(text + 1, 9999, 1, 4, &number);
	if (rest == NULL)
		return NULL;
	if (rest - text > 3) {
		minute = number % 100;
		number /= 100;
	} else if (rest - text == 3 && *rest == ':') {
		end = scan_number(rest + 1, 99, 2, 2, &minute);
		rest = end != NULL ? end : rest;
	}
	if (number > 23 || minute > 59)
		return NULL;
	when->zone = ZONE_OFFSET;
	when->offset_s = sign * (number * 60 + minute) * 60;
	return rest;
}

/*
 * The zone behind a date or a time of day, if there is one: "UTC", "GMT-3",
 * "+02:00", "(Europe/Amsterdam)", "MSK". NULL: there is one that cannot be
 * read. Its name will be that of a file, without a point or a leading slash.
 */
static const char *
scan_zone(const char *text, struct when *when)
{
	const char *name = skip_blanks(text), *rest, *end;
	bool in_parentheses = *name == '(';
	size_t length;

	name += in_parentheses;
	rest = skip_pattern(name, "(utc|gmt|z)");
	end = scan_offset(rest != NULL ? rest : name, when);
	rest = end != NULL ? end : rest;
	if (rest != NULL && (!in_parentheses || *rest == ')')) {
		when->zone = ZONE_OFFSET;
		return rest + in_parentheses;
	}
	length = in_parentheses ? strcspn(name, " \t()")
	                        : strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	if (in_parentheses
	        ? name[length] != ')'
	        : length < 2 || length > 4 || !ends_before(name + length))
		return text; /* what follows is something else */
	if (length == 0 || length >= sizeof when->zone_name || *name == '/')
		return NULL;
	for (size_t i = 0; i < length; i++) {
		if (!is_of_word(name[i]) && strchr("+/-", name[i]) == NULL)
			return NULL;
		when->zone_name[i] = name[i];
	}
	when->zone = ZONE_NAMED;
	return name + length + in_parentheses;
}

const char *
when_scan(const char *text, struct when *when)
{
	const char *rest, *point;
	bool broken;

	*when = (struct when) { .kind = WHEN_DURATION };
	rest = scan_date(text, &when->date, &broken);
	if (broken)
		return NULL;
	if (rest != NULL) {
		when->kind = WHEN_DATE;
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
	int sum, part, colons = 0;
	const char *end = scan_number(text, 9999, 1, 4, &sum), *rest;

	for (; end != NULL && *end == ':' && colons < 2; colons++) {
		end = scan_number(end + 1, 59, 2, 2, &part);
		sum = sum * 60 + part;
	}
	if (end == NULL || colons == 0 || !ends_before(end))
		return NULL;
	if (colons == 1
	    && skip_pattern(skip_blanks(end), "(h|hr|hrs|hour|hours)") != NULL)
		sum *= 60;
	rest = when_scan(text, when);
	if (rest != NULL && rest > end)
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

/* --- when it is --- */

/* A time of day that passed less than this long ago counts as now. */
#define JUST_NOW QUARTER

/* The years of int64_t nanoseconds that a date may have. */
#define FIRST_YEAR 1971
#define LAST_YEAR 2261

/* A leap day is at most so many years away: 2096, 2104. */
#define LEAP_YEARS 8

static bool
offset_at(const struct zone *zone, int64_t at_s, int64_t *offset_s)
{
	if (zone->offset_at != NULL)
		return zone->offset_at(at_s, offset_s);
	*offset_s = zone->offset_s;
	return true;
}

/*
 * Goes from one quarter of an hour to the next, as clocks change once in it at
 * the most. mktime(3) is no help: for a time that is skipped or comes twice,
 * its result differs between libcs.
 */
bool
moment_shown(const struct zone *zone, int64_t at_s, int64_t shown_s, bool daily,
    int64_t *moment_s)
{
	int64_t offset_s, next_offset_s;

	if (!offset_at(zone, at_s, &offset_s))
		return false;
	for (;; offset_s = next_offset_s) {
		int64_t next_s = (at_s / QUARTER + 1) * QUARTER, skipped_s;
		int64_t ahead_s = shown_s - (at_s + offset_s);

		if (daily)
			ahead_s = (ahead_s % DAY + DAY) % DAY;
		if (!offset_at(zone, next_s, &next_offset_s))
			return false;
		/* Where they do change, from one second to the next. */
		if (next_offset_s != offset_s) {
			next_s = at_s + 1;
			if (!offset_at(zone, next_s, &next_offset_s))
				return false;
		}
		if (ahead_s < next_s - at_s) {
			*moment_s = at_s + ahead_s;
			return true;
		}
		/* Where a whole day is skipped, a time of day is not. */
		skipped_s = next_offset_s - offset_s;
		if (daily)
			skipped_s %= DAY;
		if (ahead_s - (next_s - at_s) < skipped_s) {
			*moment_s = next_s;
			return true;
		}
		at_s = next_s;
	}
}

/* The first such DATE of its year and of so many YEARS, at FROM_S or later. */
static bool
moment_of_date(struct date date, int years, int64_t from_s,
    const struct zone *zone, int64_t *moment_s)
{
	for (; years > 0; years--, date.year++) {
		int64_t shown_s = date_seconds(&date);
		bool is_there = date_is_there(&date);

		if (date.year < FIRST_YEAR)
			*moment_s = 0;
		else if (date.year > LAST_YEAR)
			*moment_s = INT64_MAX / NS_PER_S;
		else /* no clock is further ahead of UTC, or behind it */
			is_there = is_there
			    && moment_shown(zone, shown_s - 26 * 60 * 60,
			        shown_s, false, moment_s);
		if (is_there && *moment_s >= from_s)
			return true;
	}
	return false;
}

bool
moment_of(const struct when *when, int64_t epoch_ns, const struct zone *zone,
    int64_t *moment_ns)
{
	int64_t now_s = epoch_ns / NS_PER_S, moment_s;
	/* Nobody has a clock that is before 1970. */
	int64_t from_s = now_s < 2 * JUST_NOW ? 0 : now_s - JUST_NOW;
	struct date date = when->date;
	bool is_there;

	if (when->kind != WHEN_DATE) {
		*moment_ns = when->kind == WHEN_DURATION
		    ? saturating_add(epoch_ns, when->ns)
		    : max_ns(epoch_ns, when->ns);
		return true;
	}
	if (date.month == 0) {
		is_there
		    = moment_shown(zone, from_s, date.second, true, &moment_s);
	} else if (date.year != 0) {
		is_there = moment_of_date(date, 1, 0, zone, &moment_s);
	} else {
		/* At most one year too early, as some have a day less. */
		date.year = 1970 + (int)(from_s / (366 * DAY));
		is_there = moment_of_date(
		    date, LEAP_YEARS + 2, from_s, zone, &moment_s);
	}
	if (!is_there)
		return false;
	*moment_ns = max_ns(saturating_multiply(moment_s, NS_PER_S), epoch_ns);
	return true;
}
