/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/waits/dates.h"

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
			const char *at = skip_word(
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

const char *
date_scan(const char *text, struct date *date, bool *broken)
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
	static const int limits[] = { 24, 60, 60 };
	int second = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(limits); i++) {
		int number;

		if (!is_digit(text[0]) || !is_digit(text[1]))
			return -1;
		number = (text[0] - '0') * 10 + (text[1] - '0');
		if (number >= limits[i])
			return -1;
		second = second * 60 + number;
		text += 2;
		if (*text == '\0' && i > 0)
			return i == 1 ? second * 60 : second;
		if (*text++ != ':')
			return -1;
	}
	return -1;
}
