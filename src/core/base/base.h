/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_BASE_BASE_H
#define BACKOFF_CORE_BASE_BASE_H
/*
 * Text and words (text.c); durations, other numbers and sums of bytes
 * (number.c). Nothing here allocates, or depends on a locale.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The number of elements of an array; wrong for a pointer. */
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- text in a buffer that the caller owns --- */

/* What does not fit is left out, and the text always ends with a NUL. */
struct text {
	char *data;
	size_t size; /* of the buffer, at least 1 */
	size_t length; /* of the text, without its terminator */
};

struct text text_in(char *buffer, size_t size);
/* One with a buffer that lasts as long as the block that it stands in. */
#define TEXT_OF(size) text_in((char[size]) { "" }, (size))
void text_byte(struct text *text, char byte);
void text_add(struct text *text, const char *string);

/* Adds the LENGTH bytes at FROM. */
void text_part(struct text *text, const char *from, size_t length);

/* Copies STRING to ROOM, of SIZE bytes; cuts it if it is too long. */
void text_copy(char *room, size_t size, const char *string);

/*
 * Several strings, one after the other; NUMBER() is one that lasts as long as
 * the block that it stands in, and so are DURATION() and JOINED(), which has
 * room for SIZE bytes.
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

/* "2026-11-23T14:02:10" with BETWEEN 'T'; without the date if it is NUL. */
void text_moment(struct text *text, const struct tm *tm, char between);

/* Two digits, of a to f in lower case. */
void text_hex(struct text *text, uint8_t byte);

/* Adds STRING with a question mark for what is not printable ASCII. */
void text_ascii(struct text *text, const char *string);

/*
 * Adds STRING so that it stays on one line and cannot control a terminal: a
 * control character, or a byte that is not UTF-8, becomes a question mark.
 */
void text_printable(struct text *text, const char *string);

/*
 * The same for text from outside, which may be long: adds BEFORE, at most
 * TEXT_BOUND bytes, of which the last three are "..." if something was cut, and
 * AFTER.
 */
#define TEXT_BOUND 120
void text_bounded(struct text *text, const char *before, const char *string,
    const char *after);

/* The same, in quotes if a shell would need them. */
void text_quoted(struct text *text, const char *string);

/* Adds a number >= 0 with at least DIGITS digits. */
void text_digits(struct text *text, int64_t number, int digits);

/* "12.5" of 125; >= 0. */
void text_tenths(struct text *text, int64_t tenths);

/* The length of STRING, at most MOST bytes; no UTF-8 character is cut. */
size_t text_cut(const char *string, size_t most);

/* The length of the UTF-8 sequence that STRING begins with; 0: none. */
size_t utf8_length(const char *string);

/* --- words, whatever the locale is --- */

/* Of ASCII; of a word: a letter, a digit or "_". */
static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
is_of_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/*
 * The length of TEXT up to the first END, or of all of it. (glibc's strcspn(3)
 * would bring 64 kB of tables into the memory of each run.)
 */
size_t length_before(const char *text, char end);

/*
 * Which one of WORDS, a list with single blanks between them, the LENGTH bytes
 * at WORD are: from 0 on; or -1. (In a constant table, one string needs no
 * pointers.)
 */
int words_index(const char *words, const char *word, size_t length);

/* Whether they are one of them. */
bool words_have(const char *words, const char *word, size_t length);

/*
 * Those that skip return the rest of TEXT, or NULL if it begins with something
 * else. Blanks and tabs, if there are any:
 */
const char *skip_blanks(const char *text);

/*
 * A small regular expression, in any case, if it does not end within a word:
 * (a|b) is one of several, a blank is some blanks, and "_" may be one of "_"
 * and "-". At its end, "_" is itself. (Those of regcomp(3) allocate, need a
 * locale, and take ten times as long.)
 */
const char *skip_pattern(const char *text, const char *pattern);

/* Whether PATTERN matches at the beginning of a word from FROM up to END. */
bool has_pattern(const char *from, const char *end, const char *pattern);

/* --- the known word that an unknown one is probably a slip for --- */

#define LONGEST_WORD 24 /* a longer unknown one is not compared */

struct nearest {
	char word[LONGEST_WORD + 1]; /* the unknown one, in lower case */
	const char *found; /* the nearest so far, of FOUND_LENGTH, or NULL */
	size_t found_length;
	int distance; /* only words with fewer slips are accepted */
};

/* A word of 1 or 2 letters finds nothing. */
struct nearest nearest_to(const char *word, size_t length);

/*
 * Offers known words, a list in lower case with single blanks between them,
 * which must outlive the search. One is near if the unknown word is a beginning
 * of it, or differs by at most two slips (by one if it has fewer than six
 * letters): a letter too many, missing or wrong, or two that changed places.
 */
void nearest_offer(struct nearest *nearest, const char *words);

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

/* --- durations: int64 nanoseconds, no double --- */

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MIN (60 * NS_PER_S)

/* "inf": longer than any duration. The longest, 292 years, is 1 ns less. */
#define DURATION_INF INT64_MAX

static inline int64_t
min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* a + b and a * b for values >= 0, saturating at INT64_MAX. */
static inline int64_t
saturating_add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static inline int64_t
saturating_multiply(int64_t a, int64_t b)
{
	if (b != 0 && a > INT64_MAX / b)
		return INT64_MAX;
	return a * b;
}

/*
 * Reads the longest duration that TEXT begins with: "1.5" (seconds),
 * "200ms", "1m30s", "1m 30s", "inf". A fraction of a nanosecond is rounded up;
 * what is too long saturates. Returns the rest of TEXT, or NULL if it does not
 * begin with a duration.
 */
const char *duration_scan(const char *text, int64_t *ns);

/* For people: "850ms", "4.1s", "1m30s", "2h5m", "inf". */
#define DURATION(ns) duration_string((char[16]) { "" }, (ns))
const char *duration_string(char string[16], int64_t ns);

/* For machines: seconds with exactly nine decimals. */
void duration_seconds(struct text *text, int64_t ns);

/* --- other numbers --- */

/*
 * The end of the decimal number that TEXT begins with: "1", "1.5", ".5".
 * A point needs a digit after it, so that "1..2" is a range. Sets *POINT to
 * the point, or to the end if there is none. Returns NULL for no number.
 */
const char *decimal_end(const char *text, const char **point);

/*
 * The decimal number from TEXT to END (its point at POINT) times UNIT_NS,
 * rounded up; saturates.
 */
int64_t decimal_scale(
    const char *text, const char *point, const char *end, int64_t unit_ns);

/* Reads the decimal number that TEXT begins with; returns the rest, or NULL. */
const char *number_scan(const char *text, double *number);

/*
 * Read TEXT, all of which must be one duration, decimal number, whole number
 * (which saturates), or size: bytes, or K M G T, KiB MiB GiB TiB (powers of
 * 1024; it saturates).
 */
bool duration_parse(const char *text, int64_t *ns);
bool number_parse(const char *text, double *number);
bool count_parse(const char *text, int64_t *count);
bool size_parse(const char *text, int64_t *bytes);

/* For people: "41.2GiB", "512B". */
void size_text(struct text *text, int64_t bytes);

/* --- bytes --- */

/*
 * FNV-1a of 64 bits (Fowler, Noll, Vo): tells apart what differs by chance, but
 * not what somebody chose to collide. Of "a" it is 0xaf63dc4c8601ec8c.
 */
uint64_t hash_of(const char *bytes, size_t size);

/*
 * The checksum of Ethernet, gzip and zip (ISO 3309, reflected, polynomial
 * 0xedb88320). Of "123456789" it is 0xcbf43926.
 */
uint32_t crc32(const uint8_t *bytes, size_t length);

/* Little-endian numbers, whoever reads them. SIZE is in bytes, 1 to 8. */
uint64_t little_endian_get(const uint8_t *bytes, int size);
void little_endian_put(uint8_t *bytes, int size, uint64_t number);

#endif
