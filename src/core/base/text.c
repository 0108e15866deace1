/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"

struct text
text_in(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct text) { .data = buffer, .size = size };
}

void
text_part(struct text *text, const char *from, size_t length)
{
	size_t room = text->size - text->length - 1;

	if (length > room)
		length = room;
	memcpy(text->data + text->length, from, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void
text_byte(struct text *text, char byte)
{
	text_part(text, &byte, 1);
}

void
text_add(struct text *text, const char *string)
{
	text_part(text, string, strlen(string));
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

	if (number < 0) {
		text_byte(&text, '-');
		number = number == INT64_MIN ? INT64_MAX : -number;
	}
	text_digits(&text, number, 1);
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
	strings_joined(room, size, (const char *const[]) { string, NULL });
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
	unsigned char first = string[0];
	unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4 || string[1] < low || string[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (string[i] < 0x80 || string[i] > 0xbf)
			return 0;
	return length;
}

/* Adds what STRING has before END. */
static void
add_printable(struct text *text, const char *string, const char *end)
{
	size_t step;

	for (; string < end; string += step) {
		size_t length = utf8_length(string);
		const unsigned char *bytes = (const unsigned char *)string;

		step = length > 0 ? length : 1;
		if (text->length + step >= text->size)
			return;
		/* A terminal may take U+0080 to U+009F for ESC [ or so. */
		if (length == 0 || bytes[0] < ' ' || bytes[0] == 0x7f
		    || (bytes[0] == 0xc2 && bytes[1] < 0xa0))
			text_byte(text, '?');
		else
			text_part(text, string, length);
	}
}

void
text_printable(struct text *text, const char *string)
{
	add_printable(text, string, string + strlen(string));
}

size_t
text_cut(const char *string, size_t most)
{
	size_t end = strnlen(string, most);

	/* 10xxxxxx continues a character. */
	while (end > 0 && ((unsigned char)string[end] & 0xc0) == 0x80)
		end--;
	return end;
}

void
text_bounded(struct text *text, const char *before, const char *string,
    const char *after)
{
	bool fits = strlen(string) <= TEXT_BOUND;

	text_add(text, before);
	add_printable(text, string,
	    string + text_cut(string, fits ? TEXT_BOUND : TEXT_BOUND - 3));
	text_join(text, fits ? "" : "...", after);
}

/* Whether STRING is one word to a shell, as it stands. */
static bool
is_plain(const char *string)
{
	while (is_of_word(*string)
	    || (*string != '\0' && strchr("%+,-./:=@", *string) != NULL))
		string++;
	return *string == '\0';
}

void
text_quoted(struct text *text, const char *string)
{
	struct text bounded = TEXT_OF(TEXT_BOUND + 1);
	const char *quote = is_plain(string) ? "" : "'";

	text_bounded(&bounded, "", string, "");
	text_add(text, quote);
	for (const char *at = bounded.data; *at != '\0'; at++)
		if (*at == '\'')
			text_add(text, "'\\''");
		else
			text_byte(text, *at);
	text_add(text, quote);
}

void
text_digits(struct text *text, int64_t number, int digits)
{
	if (digits > 1 || number >= 10)
		text_digits(text, number / 10, digits - 1);
	text_byte(text, (char)('0' + number % 10));
}

void
text_tenths(struct text *text, int64_t tenths)
{
	text_add(text, NUMBER(tenths / 10));
	if (tenths % 10 != 0)
		text_join(text, ".", NUMBER(tenths % 10));
}

size_t
length_before(const char *text, char end)
{
	const char *found = strchr(text, end);

	return found != NULL ? (size_t)(found - text) : strlen(text);
}

int
words_index(const char *words, const char *word, size_t length)
{
	for (int i = 0; *words != '\0'; i++) {
		size_t size = length_before(words, ' ');

		if (size == length && memcmp(words, word, length) == 0)
			return i;
		words += size;
		words += *words == ' ';
	}
	return -1;
}

bool
words_have(const char *words, const char *word, size_t length)
{
	return words_index(words, word, length) >= 0;
}

void
text_moment(struct text *text, const struct tm *tm, char between)
{
	if (between != '\0') {
		text_digits(text, tm->tm_year + 1900, 4);
		text_byte(text, '-');
		text_digits(text, tm->tm_mon + 1, 2);
		text_byte(text, '-');
		text_digits(text, tm->tm_mday, 2);
		text_byte(text, between);
	}
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

const char *
regex_text(struct text *out, const char *regex)
{
	for (const char *end; *regex != '\0'; regex = end) {
		char letter = *regex == '\\' ? regex[1] : '\0';

		end = *regex == '[' ? regex_skip_bracket(regex) : regex + 1;
		if (*regex == '\\' && *end != '\0')
			end++;
		if ((!is_letter(letter) && !is_digit(letter))
		    || strchr("wWsSbB", letter) != NULL) /* GNU's own */
			text_part(out, regex, (size_t)(end - regex));
		else if (letter == 'd')
			text_add(out, "[0-9]");
		else if (letter == 'D')
			text_add(out, "[^0-9]");
		else if (letter == 't')
			text_byte(out, '\t');
		else
			return regex;
	}
	return NULL;
}

/* --- words at the beginning of a text --- */

const char *
skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Skips up to one of (|) or the end of *PATTERN, which moves on. */
static const char *
skip_plain(const char **pattern, const char *text)
{
	for (;; ++*pattern) {
		char wanted = **pattern, c = lower(*text);

		if (wanted == '\0' || wanted == '|' || wanted == '('
		    || wanted == ')')
			return text;
		if (wanted == '_')
			text += c == '_' || c == '-';
		else if (wanted == ' ' && (c == ' ' || c == '\t'))
			text = skip_blanks(text);
		else if (wanted == c)
			text++;
		else
			return NULL;
	}
}

const char *
skip_pattern(const char *text, const char *pattern)
{
	text = skip_plain(&pattern, text);
	if (text == NULL)
		return NULL;
	if (*pattern == '\0')
		return pattern[-1] != '_' && is_of_word(text[-1])
		        && is_of_word(*text)
		    ? NULL
		    : text;
	for (const char *end = strchr(pattern, ')') + 1; *pattern != ')';) {
		const char *rest;

		pattern++;
		rest = skip_plain(&pattern, text);
		if (rest != NULL)
			rest = skip_pattern(rest, end);
		if (rest != NULL)
			return rest;
		while (*pattern != '|' && *pattern != ')')
			pattern++;
	}
	return NULL;
}

bool
has_pattern(const char *from, const char *end, const char *pattern)
{
	for (const char *at = from; at < end; at++)
		if ((at == from || (!is_of_word(at[-1]) && at[-1] != '-'))
		    && skip_pattern(at, pattern) != NULL)
			return true;
	return false;
}

/* --- the nearest word --- */

struct nearest
nearest_to(const char *word, size_t length)
{
	struct nearest nearest = { .distance = length < 6 ? 2 : 3 };

	if (length < 3 || length > LONGEST_WORD)
		nearest.distance = 0;
	for (size_t i = 0; i < length && nearest.distance > 0; i++)
		nearest.word[i] = lower(word[i]);
	return nearest;
}

/*
 * Whether at most SLIPS turn A into B: the distance of optimal string
 * alignment. What they begin with alike costs nothing; then there are four
 * slips to try.
 */
static bool
is_within(int slips, const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return true;
	if (slips-- == 0)
		return false;
	return (*a != '\0' && is_within(slips, a + 1, b))
	    || (*b != '\0' && is_within(slips, a, b + 1))
	    || (*a != '\0' && *b != '\0'
	        && (is_within(slips, a + 1, b + 1)
	            || (a[0] == b[1] && a[1] == b[0]
	                && is_within(slips, a + 2, b + 2))));
}

void
nearest_offer(struct nearest *nearest, const char *words)
{
	size_t asked = strlen(nearest->word), length;

	for (; *words != '\0'; words += length + (words[length] == ' ')) {
		struct text known = TEXT_OF(LONGEST_WORD + 1);
		bool is_beginning;
		int slips;

		length = length_before(words, ' ');
		text_part(&known, words, length);
		is_beginning = length > asked
		    && strncmp(words, nearest->word, asked) == 0;
		for (slips = is_beginning; slips < nearest->distance; slips++)
			if (is_beginning
			    || is_within(slips, nearest->word, known.data)) {
				nearest->found = words;
				nearest->found_length = length;
				nearest->distance = slips;
			}
	}
}
