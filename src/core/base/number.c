/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"

static const char *
skip_digits(const char *text)
{
	while (is_digit(*text))
		text++;
	return text;
}

const char *
decimal_end(const char *text, const char **point)
{
	const char *end = skip_digits(text);

	*point = end;
	if (*end == '.' && is_digit(end[1]))
		end = skip_digits(end + 1);
	return end == text ? NULL : end;
}

static int64_t
whole_number(const char *digit, const char *end)
{
	int64_t number = 0;

	for (; digit < end; digit++)
		number = saturating_add(
		    saturating_multiply(number, 10), *digit - '0');
	return number;
}

/*
 * From the last decimal to the first, each step rounded up: nested ceilings
 * are the ceiling of the whole.
 */
int64_t
decimal_scale(
    const char *text, const char *point, const char *end, int64_t unit_ns)
{
	int64_t fraction_ns = 0;

	for (const char *digit = end - 1; digit > point; digit--)
		fraction_ns = ((*digit - '0') * unit_ns + fraction_ns + 9) / 10;
	return saturating_add(
	    saturating_multiply(whole_number(text, point), unit_ns),
	    fraction_ns);
}

const char *
duration_scan(const char *text, int64_t *ns)
{
	static const char units[] = "ns us ms s sec m min h hr d";
	static const int64_t units_ns[]
	    = { 1, 1000, NS_PER_MS, NS_PER_S, NS_PER_S, NS_PER_MIN, NS_PER_MIN,
		      60 * NS_PER_MIN, 60 * NS_PER_MIN, 24 * 60 * NS_PER_MIN };
	const char *rest = NULL, *point, *end;
	int unit = -1; /* none: of seconds */

	*ns = 0;
	if (strncmp(text, "inf", 3) == 0) {
		*ns = DURATION_INF;
		return text + 3;
	}
	for (const char *part = text;
	     (end = decimal_end(part, &point)) != NULL;) {
		int before = unit;
		size_t length = 0;

		while (is_letter(end[length]))
			length++;
		unit = words_index(units, end, length);
		/*
		 * A number without a unit stands alone, and "1s 2s" is more
		 * likely a list that lacks its comma.
		 */
		if (rest != NULL
		    && (before < 0 || unit < 0
		        || (part > rest && units_ns[unit] >= units_ns[before])))
			break;
		*ns = saturating_add(*ns,
		    decimal_scale(part, point, end,
		        unit < 0 ? NS_PER_S : units_ns[unit]));
		rest = unit < 0 ? end : end + length;
		for (part = rest; *part == ' '; part++)
			continue;
	}
	/* What is too long becomes the longest one, but not "inf". */
	*ns = min_ns(*ns, DURATION_INF - 1);
	return rest;
}

bool
duration_parse(const char *text, int64_t *ns)
{
	const char *rest = duration_scan(text, ns);

	return rest != NULL && *rest == '\0';
}

const char *
number_scan(const char *text, double *number)
{
	const char *point;
	const char *end = decimal_end(text, &point);
	double divisor = 1;

	if (end == NULL)
		return NULL;
	*number = 0;
	for (const char *digit = text; digit < end; digit++) {
		if (digit == point)
			continue;
		*number = *number * 10 + (*digit - '0');
		if (digit > point)
			divisor *= 10;
	}
	/* Exact up to 15 digits, as a double holds both numbers exactly. */
	*number /= divisor;
	return end;
}

bool
number_parse(const char *text, double *number)
{
	const char *rest = number_scan(text, number);

	return rest != NULL && *rest == '\0' && *number <= 1e300;
}

bool
count_parse(const char *text, int64_t *count)
{
	const char *end = skip_digits(text);

	*count = whole_number(text, end);
	return end > text && *end == '\0';
}

bool
size_parse(const char *text, int64_t *bytes)
{
	const char *end = skip_digits(text);
	int unit = words_index("K KiB M MiB G GiB T TiB", end, strlen(end));

	*bytes = whole_number(text, end);
	for (int i = unit; i >= 0; i -= 2) /* each unit has two names */
		*bytes = saturating_multiply(*bytes, 1024);
	return end > text && (unit >= 0 || *end == '\0');
}

void
size_text(struct text *text, int64_t bytes)
{
	static const char names[][4] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	int64_t tenths = 0;

	for (; bytes >= 1024 && unit < 4; unit++) {
		tenths = bytes % 1024 * 10 / 1024;
		bytes /= 1024;
	}
	text_tenths(text, bytes * 10 + tenths);
	text_add(text, names[unit]);
}

/* "1h5m": AMOUNT minor units, PER_MAJOR of them in one major unit. */
static void
two_units(struct text *text, int64_t amount, int64_t per_major,
    const char *major, const char *minor)
{
	text_join(text, NUMBER(amount / per_major), major);
	if (amount % per_major != 0)
		text_join(text, NUMBER(amount % per_major), minor);
}

const char *
duration_string(char string[16], int64_t ns)
{
	struct text text = text_in(string, 16);
	int64_t ms = ns / NS_PER_MS + (ns % NS_PER_MS >= NS_PER_MS / 2);
	int64_t tenths = ms / 100 + (ms % 100 >= 50);
	int64_t seconds = tenths / 10 + (tenths % 10 >= 5);
	int64_t minutes = seconds / 60 + (seconds % 60 >= 30);

	if (ns == DURATION_INF) {
		text_add(&text, "inf");
	} else if (ns == 0) {
		text_add(&text, "0s");
	} else if (ns < NS_PER_MS) {
		text_join(&text, NUMBER(ns < 1000 ? ns : ns / 1000),
		    ns < 1000 ? "ns" : "us");
	} else if (ms < 1000) {
		text_join(&text, NUMBER(ms), "ms");
	} else if (tenths < 600) {
		text_tenths(&text, tenths);
		text_byte(&text, 's');
	} else if (seconds < 3600) {
		two_units(&text, seconds, 60, "m", "s");
	} else if (minutes < 24 * 60) {
		two_units(&text, minutes, 60, "h", "m");
	} else {
		two_units(
		    &text, minutes / 60 + (minutes % 60 >= 30), 24, "d", "h");
	}
	return string;
}

void
duration_seconds(struct text *text, int64_t ns)
{
	text_join(text, NUMBER(ns / NS_PER_S), ".");
	text_digits(text, ns % NS_PER_S, 9);
}

/* --- bytes --- */

uint64_t
hash_of(const char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i])
		    * UINT64_C(0x100000001b3);
	return hash;
}

/* Four bits at a time: a look at a gate takes two sums of half a kilobyte. */
uint32_t
crc32(const uint8_t *bytes, size_t length)
{
	static const uint32_t of[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8,
		0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0,
		0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ of[crc & 15];
		crc = crc >> 4 ^ of[crc & 15];
	}
	return ~crc;
}

uint64_t
little_endian_get(const uint8_t *bytes, int size)
{
	uint64_t number = 0;

	while (size-- > 0)
		number = number << 8 | bytes[size];
	return number;
}

void
little_endian_put(uint8_t *bytes, int size, uint64_t number)
{
	for (int i = 0; i < size; i++, number >>= 8)
		bytes[i] = (uint8_t)number;
}
