/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/text.h"

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
text_printable(struct text *text, const char *string)
{
	for (; *string != '\0'; string++)
		text_byte(text,
		    (unsigned char)*string < ' ' || *string == '\x7f'
		        ? '?'
		        : *string);
}

void
text_bounded(struct text *text, const char *string)
{
	char beginning[TEXT_BOUND];
	size_t end = TEXT_BOUND - 3;

	if (strlen(string) <= TEXT_BOUND) {
		text_printable(text, string);
		return;
	}
	/* Not within a character: 10xxxxxx goes on with one. */
	while (end > 0 && ((unsigned char)string[end] & 0xc0) == 0x80)
		end--;
	memcpy(beginning, string, end);
	beginning[end] = '\0';
	text_printable(text, beginning);
	text_add(text, "...");
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
