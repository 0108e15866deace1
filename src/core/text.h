/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_TEXT_H
#define BACKOFF_CORE_TEXT_H
/*
 * Text built in a buffer of the caller's: no allocation, no locale. What
 * does not fit is left out, and the text is always terminated.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data;
	size_t size; /* of the buffer, at least 1 */
	size_t length; /* of the text, without its terminator */
};

struct text text_in(char *buffer, size_t size);
void text_byte(struct text *text, char byte);
void text_add(struct text *text, const char *string);
void text_number(struct text *text, int64_t number);

/*
 * STRING on one line that no terminal obeys: a control character, or a byte
 * that is no UTF-8, becomes a question mark.
 */
void text_printable(struct text *text, const char *string);

/* At least DIGITS digits of a number that is not negative. */
void text_digits(struct text *text, int64_t number, int digits);

/* The bytes of the UTF-8 sequence that STRING begins with; 0: it is none. */
size_t utf8_length(const char *string);

/*
 * WORDS is a list with single blanks between them: one string in a table,
 * where an array would be pointers. Whether the LENGTH bytes at WORD are one
 * of them.
 */
bool words_have(const char *words, const char *word, size_t length);

#endif
