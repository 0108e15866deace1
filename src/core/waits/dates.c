/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/waits/dates.h"

#define DAY (24 * 60 * 60)

static const char weekdays[][10] = { "Sunday", "Monday", "Tuesday", "Wednesday",
	"Thursday", "Friday", "Saturday" };
static const char months[][10]
    = { "January", "February", "March", "April", "May", "June", "July",
	      "August", "September", "October", "November", "December" };

const char *
skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

const char *
skip_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(text, word, length) != 0 || is_of_word(text[length]))
		return NULL;
	return text + length;
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

/* The number LOW..HIGH that TEXT begins with, of at most DIGITS digits. */
static const char *
scan_number(const char *text, int low, int high, int digits, int *number)
{
	*number = 0;
	if (!is_digit(*text))
		return NULL;
	for (; digits > 0 && is_digit(*text); digits--)
		*number = *number * 10 + (*text++ - '0');
	return *number < low || *number > high ? NULL : text;
}

/* Exactly that many digits. */
static const char *
scan_digits(const char *text, int low, int high, int digits, int *number)
{
	const char *end = scan_number(text, low, high, digits, number);

	return end != NULL && end - text == digits && !is_digit(*end) ? end
	                                                              : NULL;
}

/* One of NAMES, or its first three letters; sets *INDEX. */
static const char *
scan_name(const char *text, const char names[][10], int count, int *index)
{
	for (*index = 0; *index < count; ++*index) {
		size_t length = strlen(names[*index]);

		if (strncasecmp(text, names[*index], length) == 0)
			return text + length;
		if (strncasecmp(text, names[*index], 3) == 0)
			return text + 3;
	}
	return NULL;
}

static const char *
match_field(const char *text, char field, struct date *date)
{
	int number;
	const char *rest;

	if (field == 'a')
		return scan_name(
		    text, weekdays, ARRAY_LENGTH(weekdays), &number);
	if (field == 'b') {
		rest = scan_name(text, months, ARRAY_LENGTH(months), &number);
		date->month = number + 1;
		return rest;
	}
	while (*text == ' ')
		text++;
	switch (field) {
	case 'd':
		return scan_number(text, 1, 31, 2, &date->day);
	case 'Y':
		rest = scan_number(text, 0, 9999, 4, &number);
		date->year = number;
		return rest;
	case 'y':
		rest = scan_number(text, 0, 99, 2, &number);
		date->year = number + (number < 69 ? 2000 : 1900);
		return rest;
	case 'H':
		rest = scan_number(text, 0, 23, 2, &number);
		date->second = number * 60 * 60;
		return rest;
	case 'M':
		rest = scan_number(text, 0, 59, 2, &number);
		date->second += number * 60;
		return rest;
	default:
		rest = scan_number(text, 0, 61, 2, &number);
		date->second += number;
		return rest;
	}
}

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *
date_match(const char *text, const char *format, struct date *date)
{
	for (; *format != '\0' && text != NULL; format++) {
		if (*format == '%') {
			text = match_field(text, *++format, date);
		} else if (*format == ' ') {
			while (is_space(*text))
				text++;
		} else if (*text++ != *format) {
			return NULL;
		}
	}
	return text;
}

const char *
date_http(const char *text, struct date *date)
{
	static const char forms[][28] = { "%a, %d %b %Y %H:%M:%S",
		"%a, %d-%b-%y %H:%M:%S", "%a %b %d %H:%M:%S %Y" };

	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		const char *rest = date_match(text, forms[i], date);

		if (rest != NULL && !is_digit(*rest))
			return rest;
	}
	return NULL;
}

/* ":05" and decimals, which may be missing. */
static const char *
scan_seconds(const char *text, int *second)
{
	int number;
	const char *rest;

	if (*text != ':')
		return text;
	rest = scan_digits(text + 1, 0, 60, 2, &number);
	*second += number;
	return rest;
}

const char *
date_iso(const char *text, struct date *date)
{
	int number;

	text = scan_digits(text, 0, 9999, 4, &number);
	date->year = number;
	if (text == NULL || *text != '-')
		return NULL;
	text = scan_digits(text + 1, 1, 12, 2, &date->month);
	if (text == NULL || *text != '-')
		return NULL;
	text = scan_digits(text + 1, 1, 31, 2, &date->day);
	if (text == NULL || (*text != 'T' && *text != 't' && *text != ' '))
		return NULL;
	text = scan_digits(text + 1, 0, 23, 2, &number);
	date->second = number * 60 * 60;
	if (text == NULL || *text != ':')
		return NULL;
	text = scan_digits(text + 1, 0, 59, 2, &number);
	date->second += number * 60;
	if (text == NULL || *text != ':')
		return text;
	text = scan_seconds(text, &date->second);
	if (text == NULL || *text != '.' || !is_digit(text[1]))
		return text;
	text++;
	/* The second after it, so that nobody comes too early. */
	if (is_digit(text[strspn(text, "0")]) && date->second < 24 * 60 * 60)
		date->second++;
	return text + strspn(text, "0123456789");
}

/* "am" or "pm" behind the hour 1..12, or neither behind 0..23. */
static const char *
scan_half(const char *text, bool needed, int *hour)
{
	static const char halves[][3] = { "am", "pm" };
	const char *at = skip_blanks(text);

	for (int half = 0; half < 2; half++) {
		const char *rest = skip_word(at, halves[half]);

		if (rest == NULL)
			continue;
		if (*hour < 1 || *hour > 12)
			return NULL;
		*hour = *hour % 12 + 12 * half;
		return rest;
	}
	return needed || *hour > 23 ? NULL : text;
}

const char *
date_time(const char *text, struct date *date)
{
	int hour, minute = 0, second = 0;
	bool has_minutes;

	text = scan_number(text, 0, 23, 2, &hour);
	if (text == NULL)
		return NULL;
	has_minutes = *text == ':';
	if (has_minutes)
		text = scan_digits(text + 1, 0, 59, 2, &minute);
	if (text != NULL && has_minutes)
		text = scan_seconds(text, &second);
	if (text != NULL)
		text = scan_half(text, !has_minutes, &hour);
	date->second = (hour * 60 + minute) * 60 + second;
	return text;
}

const char *
date_of_year(const char *text, struct date *date)
{
	static const char *const forms[] = { "%b %d", "%d %b" };

	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		const char *rest = date_match(text, forms[i], date);
		const char *at;

		if (rest == NULL || is_of_word(*rest))
			continue;
		if (*rest == ',')
			rest++;
		rest = skip_blanks(rest);
		at = skip_word(rest, "at");
		return at != NULL ? skip_blanks(at) : rest;
	}
	return NULL;
}
