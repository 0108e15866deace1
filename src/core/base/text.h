/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_TEXT_H
#define BACKOFF_CORE_BASE_TEXT_H
/*
 * Builds text in a buffer that the caller owns: no allocation, no locale. What
 * does not fit is left out, and the text always ends with a NUL. Below: words,
 * the nearest one, and regular expressions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The number of elements of an array; wrong for a pointer. */
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

struct text {
	char *data;
	size_t size; /* of the buffer, at least 1 */
	size_t length; /* of the text, without its terminator */
};

struct text text_in(char *buffer, size_t size);
void text_byte(struct text *text, char byte);
void text_add(struct text *text, const char *string);
void text_number(struct text *text, int64_t number);

/* Adds the LENGTH bytes at FROM. */
void text_part(struct text *text, const char *from, size_t length);

/* Copies STRING to ROOM, of SIZE bytes; cuts it if it is too long. */
void text_copy(char *room, size_t size, const char *string);

/*
 * Several strings, one after the other; NUMBER() is one that lasts as long as
 * the block that it stands in, and so are DURATION() of duration.h and
 * JOINED(), which has room for SIZE bytes.
 */
#define text_join(text, ...) \
	text_strings((text), (const char *const[]) { __VA_ARGS__, NULL })
void text_strings(struct text *text, const char *const *strings);
#define JOINED(size, ...) \
	strings_joined((char[size]) { "" }, (size), \
	    (const char *const[]) { __VA_ARGS__, NULL })
const char *strings_joined(char *room, size_t size, const char *const *strings);
#define NUMBER(number) number_string((char[24]) { "" }, (number))
const char *number_string(char string[24], int64_t number);

/* "2026-11-23" and "14:02:10" of TM. */
void text_date(struct text *text, const struct tm *tm);
void text_clock(struct text *text, const struct tm *tm);

/* Two digits, of a to f in lower case. */
void text_hex(struct text *text, uint8_t byte);

/* Adds STRING with a question mark for what is not printable ASCII. */
void text_ascii(struct text *text, const char *string);

/*
 * Adds STRING so that it stays on one line and cannot control a terminal: a
 * control character, or a byte that is not UTF-8, becomes a question mark.
 */
void text_printable(struct text *text, const char *string);

/* The length of STRING, at most MOST bytes; no UTF-8 character is cut. */
size_t text_cut(const char *string, size_t most);

/*
 * The same for text from outside, which may be long: adds at most TEXT_BOUND
 * bytes, of which the last three are "..." if something was cut.
 */
#define TEXT_BOUND 120
void text_bounded(struct text *text, const char *string);

/* The same, in quotes if a shell would need them. */
void text_quoted(struct text *text, const char *string);

/* Adds a number >= 0 with at least DIGITS digits. */
void text_digits(struct text *text, int64_t number, int digits);

/* "12.5" of 125; >= 0. */
void text_tenths(struct text *text, int64_t tenths);

/* The length of the UTF-8 sequence that STRING begins with; 0: none. */
size_t utf8_length(const char *string);

/*
 * The length of TEXT up to the first END, or of all of it. (glibc's strcspn(3)
 * would bring 64 kB of tables into the memory of each run.)
 */
size_t length_before(const char *text, char end);

/*
 * Whether the LENGTH bytes at WORD are one of WORDS, a list with single blanks
 * between them. (In a constant table, one string needs no pointers.)
 */
bool words_have(const char *words, const char *word, size_t length);

/* Which one that is, from 0 on; or -1. */
int words_index(const char *words, const char *word, size_t length);

/* --- words at the beginning of a text, whatever the locale is --- */

/* Of ASCII, whatever the locale is; of a word: a letter, a digit or "_". */
bool is_digit(char c);
bool is_letter(char c);
bool is_of_word(char c);

/*
 * Those that skip return the rest of TEXT, or NULL if it begins with something
 * else.
 */

/* Blanks and tabs, if there are any. */
const char *skip_blanks(const char *text);

/* WORD, in any case, if no letter, digit or underscore follows it. */
const char *skip_word(const char *text, const char *word);

/*
 * The same for a small regular expression: (a|b) is one of several, a blank is
 * some blanks, and "_" may be one of "_" and "-". At its end, "_" is itself.
 * (Those of regcomp(3) allocate, need a locale, and take ten times as long.)
 */
const char *skip_pattern(const char *text, const char *pattern);

/* Whether PATTERN matches at the beginning of a word from FROM up to END. */
bool has_pattern(const char *from, const char *end, const char *pattern);

/* --- the known word that an unknown one is probably a slip for --- */

#define LONGEST_WORD 24 /* longer ones are not compared */

struct nearest {
	char word[LONGEST_WORD + 1]; /* the unknown one, in lower case */
	const char *found; /* the nearest so far, of FOUND_LENGTH, or NULL */
	size_t found_length;
	int distance; /* only words with fewer slips are accepted */
};

/* A word of 1 or 2 letters finds nothing. */
struct nearest nearest_to(const char *word, size_t length);

/*
 * Offers a known word of LENGTH bytes, in lower case. It is near if the unknown
 * word is a beginning of it, or differs by at most two slips (by one if it has
 * fewer than six letters): a letter too many, missing or wrong, or two that
 * changed places. NAME must outlive the search.
 */
void nearest_offer(struct nearest *nearest, const char *name, size_t length);

/* Offers each word of a list with single blanks between them. */
void nearest_offer_words(struct nearest *nearest, const char *words);

/* --- regular expressions --- */

/*
 * Translates a regular expression as people write it for regcomp(3), which
 * silently takes "\d" for "d": adds REGEX to OUT, with \d, \D and \t as people
 * mean them; inside brackets a backslash stands for itself (POSIX, XBD 9.3.5).
 * The text grows at most threefold. Returns NULL, or the backslash in REGEX
 * that is refused, because neither POSIX nor GNU gives the letter or digit
 * after it a meaning. "\1" and "\n" are refused too: a back-reference may take
 * for ever, and no line contains a newline.
 */
const char *regex_text(struct text *out, const char *regex);

/* The end of the bracket expression that REGEX begins with. */
const char *regex_skip_bracket(const char *regex);

#endif
