/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

struct text
text_in(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct text) { .data = buffer, .size = size };
}

void
text_byte(struct text *text, char byte)
{
	if (text->length + 1 >= text->size)
		return;
	text->data[text->length++] = byte;
	text->data[text->length] = '\0';
}

void
text_add(struct text *text, const char *string)
{
	while (*string != '\0')
		text_byte(text, *string++);
}

void
text_strings(struct text *text, const char *const *strings)
{
	while (*strings != NULL)
		text_add(text, *strings++);
}

const char *
number_string(char string[24], int64_t number)
{
	struct text text = text_in(string, 24);

	text_number(&text, number);
	return string;
}

const char *
strings_joined(char *room, size_t size, const char *const *strings)
{
	struct text text = text_in(room, size);

	text_strings(&text, strings);
	return room;
}

void
text_copy(char *room, size_t size, const char *string)
{
	struct text text = text_in(room, size);

	text_add(&text, string);
}

void
text_hex(struct text *text, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	text_byte(text, digits[byte >> 4]);
	text_byte(text, digits[byte & 15]);
}

void
text_ascii(struct text *text, const char *string)
{
	for (; *string != '\0'; string++)
		text_byte(
		    text, *string >= ' ' && *string <= '~' ? *string : '?');
}

/* Follows the table of well-formed sequences in section 3.9 of Unicode. */
size_t
utf8_length(const char *bytes)
{
	const unsigned char *string = (const unsigned char *)bytes;
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (string[0] < 0x80)
		return 1;
	if (string[0] < 0xc2 || string[0] > 0xf4)
		return 0;
	length = string[0] < 0xe0 ? 2 : string[0] < 0xf0 ? 3 : 4;
	if (string[0] == 0xe0)
		low = 0xa0;
	if (string[0] == 0xed)
		high = 0x9f;
	if (string[0] == 0xf0)
		low = 0x90;
	if (string[0] == 0xf4)
		high = 0x8f;
	if (string[1] < low || string[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (string[i] < 0x80 || string[i] > 0xbf)
			return 0;
	return length;
}

/* Includes U+0080 to U+009F, which a terminal may take for ESC [ or so. */
static bool
is_control(const char *character, size_t length)
{
	unsigned char first = (unsigned char)character[0];

	return first < ' ' || first == '\x7f'
	    || (length == 2 && first == 0xc2
	        && (unsigned char)character[1] < 0xa0);
}

void
text_printable(struct text *text, const char *string)
{
	size_t step;

	for (; *string != '\0'; string += step) {
		size_t length = utf8_length(string);

		step = length > 0 ? length : 1;
		if (text->length + step >= text->size)
			return;
		if (length == 0 || is_control(string, length)) {
			text_byte(text, '?');
			continue;
		}
		for (size_t i = 0; i < length; i++)
			text_byte(text, string[i]);
	}
}

size_t
text_cut(const char *string, size_t most)
{
	const char *nul = memchr(string, '\0', most + 1);
	size_t end = most;

	if (nul != NULL)
		return (size_t)(nul - string);
	/* 10xxxxxx continues a character. */
	while (end > 0 && ((unsigned char)string[end] & 0xc0) == 0x80)
		end--;
	return end;
}

void
text_bounded(struct text *text, const char *string)
{
	char beginning[TEXT_BOUND];
	size_t end;

	if (strlen(string) <= TEXT_BOUND) {
		text_printable(text, string);
		return;
	}
	end = text_cut(string, TEXT_BOUND - 3);
	memcpy(beginning, string, end);
	beginning[end] = '\0';
	text_printable(text, beginning);
	text_add(text, "...");
}

void
text_quoted(struct text *text, const char *string)
{
	static const char plain[]
	    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	      "0123456789%+,-./:=@_";
	char room[TEXT_BOUND + 1];
	struct text bounded = text_in(room, sizeof room);
	const char *quote = string[strspn(string, plain)] != '\0' ? "'" : "";

	text_bounded(&bounded, string);
	text_add(text, quote);
	for (const char *at = room; *at != '\0'; at++)
		if (*at == '\'')
			text_add(text, "'\\''");
		else
			text_byte(text, *at);
	text_add(text, quote);
}

void
text_digits(struct text *text, int64_t number, int digits)
{
	char reversed[20];
	int n = 0;

	do {
		reversed[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	for (; digits > n; digits--)
		text_byte(text, '0');
	while (n > 0)
		text_byte(text, reversed[--n]);
}

void
text_number(struct text *text, int64_t number)
{
	if (number < 0) {
		text_byte(text, '-');
		number = number == INT64_MIN ? INT64_MAX : -number;
	}
	text_digits(text, number, 1);
}

void
text_tenths(struct text *text, int64_t tenths)
{
	if (tenths < 0) {
		text_byte(text, '-');
		tenths = -tenths;
	}
	text_number(text, tenths / 10);
	if (tenths % 10 != 0)
		text_join(text, ".", NUMBER(tenths % 10));
}

bool
words_have(const char *words, const char *word, size_t length)
{
	while (*words != '\0') {
		size_t size = strcspn(words, " ");

		if (size == length && memcmp(words, word, length) == 0)
			return true;
		words += size;
		words += *words == ' ';
	}
	return false;
}

bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool
is_of_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

void
text_date(struct text *text, const struct tm *tm)
{
	text_digits(text, tm->tm_year + 1900, 4);
	text_byte(text, '-');
	text_digits(text, tm->tm_mon + 1, 2);
	text_byte(text, '-');
	text_digits(text, tm->tm_mday, 2);
}

void
text_clock(struct text *text, const struct tm *tm)
{
	text_digits(text, tm->tm_hour, 2);
	text_byte(text, ':');
	text_digits(text, tm->tm_min, 2);
	text_byte(text, ':');
	text_digits(text, tm->tm_sec, 2);
}

const char *
regex_skip_bracket(const char *regex)
{
	regex++;
	regex += *regex == '^';
	regex += *regex == ']';
	while (*regex != '\0' && *regex != ']') {
		if (*regex == '[' && regex[1] != '\0'
		    && strchr(".:=", regex[1]) != NULL) {
			const char kind[] = { regex[1], ']', '\0' };
			const char *end = strstr(regex + 2, kind);

			regex = end == NULL ? regex + 1 : end + 1;
		}
		regex++;
	}
	return *regex == '\0' ? regex : regex + 1;
}

/* What "\LETTER" is translated to; NULL: it has no meaning. */
static const char *
meaning_of(char letter)
{
	static const struct {
		char letter;
		char meaning[7];
	} escapes[] = {
		{ 'd', "[0-9]" },
		{ 'D', "[^0-9]" },
		{ 't', "\t" },
		/* GNU's own. */
		{ 'w', "\\w" },
		{ 'W', "\\W" },
		{ 's', "\\s" },
		{ 'S', "\\S" },
		{ 'b', "\\b" },
		{ 'B', "\\B" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(escapes); i++)
		if (escapes[i].letter == letter)
			return escapes[i].meaning;
	return NULL;
}

const char *
regex_text(struct text *out, const char *regex)
{
	while (*regex != '\0') {
		const char *end = regex + 1;

		if (*regex == '\\'
		    && (is_letter(regex[1]) || is_digit(regex[1]))) {
			const char *meaning = meaning_of(regex[1]);

			if (meaning == NULL)
				return regex;
			text_add(out, meaning);
			regex += 2;
			continue;
		}
		if (*regex == '[')
			end = regex_skip_bracket(regex);
		else if (*regex == '\\' && regex[1] != '\0')
			end++;
		while (regex < end)
			text_byte(out, *regex++);
	}
	return NULL;
}
