/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/waits/waits.h"

enum {
	/* What follows the words of a row; */
	SPAN = 1 << 0, /* a duration */
	MOMENT = 1 << 1,
	ALONE = 1 << 2, /* a NUMBER of seconds, where the sentence ends */
	/* or a value, which is a WHEN, and the words are its name. */
	KEY = 1 << 3,
	HEADER = 1 << 4, /* seconds, or a date of HTTP */
	MILLI = 1 << 5, /* a number is one of milliseconds */
	DELAY = 1 << 6, /* in "retry_delay { seconds: 34 }", of two lines */
	/* When it counts. */
	RESET = 1 << 7, /* if nothing is left of the quota */
	BEFORE = 1 << 8, /* if what it needs stands before the words */
	FIRST = 1 << 9, /* in the first words of a line without it */
};

struct row {
	char words[64], needs[96]; /* regular expressions: see match() */
	int flags;
};

#define STEP 16

#define BACK(words) \
	{ words " (in|after|for)", "", SPAN | MOMENT }, \
	{ \
		words " (at|on)", "", MOMENT \
	}
#define QUOTA "(will|limit|quota|usage|window)"

/* Arrays, because pointers would have to be relocated at every start. */
static const struct row rows[] = {
	{ "retry-after", "", HEADER },
	{ "(rate|x-rate)_limit-reset-after", "", HEADER },
	{ "(x-amz-retry-after|retry-after-ms|x-ms-retry-after-ms)", "",
	    HEADER | MILLI },
	{ "retry_after(|_s|_sec|_secs|_seconds)", "", KEY },
	{ "(retry_after|wait)_(ms|millis|milliseconds)", "", KEY | MILLI },
	{ "wait_seconds", "", KEY },
	{ "(reset|resets)_(at|time|in_seconds)", "", KEY | RESET },
	{ "(reset|resets)_(at|time|in)_(ms|millis|milliseconds)", "",
	    KEY | RESET | MILLI },
	{ "retry_delay", "", KEY | SPAN },
	{ "seconds", "", KEY | DELAY },
	BACK("retry( again| will occur|)"),
	BACK("try again"),
	BACK("come back"),
	BACK("available( again|)"),
	BACK("back off"),
	{ "retry after", "", ALONE },
	{ "resets( at| on|)", "", MOMENT | RESET },
	{ "resets (in|after)", "", SPAN | MOMENT | RESET },
	{ "reset( at| on|)", QUOTA, MOMENT | RESET | BEFORE },
	{ "reset (in|after)", QUOTA, SPAN | MOMENT | RESET | BEFORE },
	{ "limit reached", "", MOMENT },
	{ "wait", "(please|must|you|need|have to|before|required)",
	    SPAN | FIRST },
	{ "wait of", "", SPAN },
	{ "(flood|flood_premium|slowmode)_wait_", "", ALONE },
	{ "until", "(wait|banned|blocked|locked|limited)", MOMENT | BEFORE },
	{ "for",
	    "(greylisted|rate limited|rate-limited|throttled|banned|blocked|"
	    "locked out|break)",
	    SPAN },
};

/* No wait is in a line of a test's report, which begins with a tick, too, ...
 */
static const char report[]
    = "(ok|not ok|pass|fail|task [|\xe2\x9c\x93|\xe2\x9c\x94|\xe2\x9c\x95|"
      "\xe2\x9c\x96|\xe2\x9c\x97|\xe2\x9c\x98|\xc3\x97|\xe2\x88\x9a)";

/* ... nor in one that tells what a program does itself, or a figure. */
static const char vetoes[][48] = {
	"(will|ll|will now) (retry|try again)",
	"(retrying|trying again) (in|after|at)",
	"next (retry|try|attempt)",
	"(waited|avg)",
	"(max|maximum|min|total) (retry|wait)",
};

/* --- regular expressions --- */

/* Matches up to one of (|) or the end of *PATTERN, which moves on. */
static const char *
match_plain(const char **pattern, const char *text)
{
	for (;; ++*pattern) {
		char wanted = **pattern, c = *text;

		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
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

/*
 * Matches what TEXT begins with, and returns the rest or NULL. In PATTERN,
 * (a|b) is one of several, a blank is some blanks, and "_" may be one of "_"
 * and "-". Letters are of any case; no word goes on behind the end. (Those of
 * regcomp(3) allocate, need a locale, and take ten times as long.)
 */
static const char *
match(const char *pattern, const char *text)
{
	text = match_plain(&pattern, text);
	if (text == NULL || *pattern == '\0')
		return text == NULL || pattern[-1] == '_'
		        || !is_of_word(text[-1]) || !is_of_word(*text)
		    ? text
		    : NULL;
	for (; *pattern != ')'; pattern++) {
		const char *rest = NULL;

		if (*pattern != '(' && *pattern != '|')
			continue;
		pattern++; /* most begin with another letter: that is quick */
		if (*pattern < 'a' || *pattern > 'z'
		    || ((*pattern ^ *text) & 31) == 0)
			rest = match_plain(&pattern, text);
		if (rest != NULL)
			rest = match(strchr(pattern, ')') + 1, rest);
		if (rest != NULL)
			return rest;
		pattern--;
	}
	return NULL;
}

static inline bool
is_of_name(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
	    || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The end of the word, or of the name with dashes, at AT. */
static const char *
word_end(const char *at)
{
	while (is_of_name(*at))
		at++;
	return at;
}

/* Where the next word begins, from AT up to END. */
static const char *
next_word(const char *at, const char *end)
{
	while (at < end && !is_of_name(*at))
		/* A newline that is quoted: "\nTry again". */
		at += *at == '\\' && (at[1] == 'n' || at[1] == 't') ? 2 : 1;
	return at;
}

/* Whether words between FROM and END match PATTERN. */
static bool
has(const char *from, const char *end, const char *pattern)
{
	for (const char *at = next_word(from, end); at < end;
	     at = next_word(word_end(at), end))
		if (match(pattern, at) != NULL)
			return true;
	return false;
}

/* --- what is found --- */

static void
found(struct waits *waits, struct stated_wait *place, const struct when *when)
{
	const char *begin = waits->line + strspn(waits->line, " \t-=");
	bool is_vetoed = match(report, begin) != NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(vetoes); i++)
		is_vetoed |= has(begin, waits->end, vetoes[i]);
	if (is_vetoed
	    || (when->zone == ZONE_NAMED && waits->has_zone != NULL
	        && !waits->has_zone(when->zone_name)))
		return;
	place->stated = STATED_READ;
	place->when = *when;
	place->line = waits->lines;
}

/* TEXT, up to its LENGTH, should have been a WHEN. */
static void
unreadable(struct stated_wait *place, const char *text, size_t length)
{
	if (place->stated > STATED_UNREADABLE)
		return;
	place->stated = STATED_UNREADABLE;
	if (length > WAIT_TEXT)
		length = WAIT_TEXT;
	memcpy(place->text, text, length);
	place->text[length] = '\0';
}

/* --- headers and keys --- */

/* The value behind a name that ends at AT, or NULL. */
static const char *
value_of(const char *at)
{
	const char *rest = at;

	while (*rest == '"' || *rest == '\'' || *rest == '`' || *rest == '\\')
		rest++;
	rest = skip_blanks(rest);
	if (*rest == '{') /* as text of protobuf */
		return rest;
	/* With a comma, a pair of strings. */
	if (*rest != ':' && *rest != '='
	    && (*rest != ',' || (rest[-1] != '"' && rest[-1] != '\'')))
		return NULL;
	return skip_blanks(rest + (rest[1] == '>' ? 2 : 1));
}

/* Reads the value of a name, of which nothing may follow. */
static bool
read_value(const char *text, int flags, struct when *when)
{
	const char *value = text + strspn(text, "\"'`\\[(<"), *rest;
	bool is_string = value > text && strchr("\"'`\\", value[-1]) != NULL;

	memset(when, 0, sizeof *when);
	rest = flags & MILLI ? when_number(value, NS_PER_MS, when)
	                     : when_scan(value, when);
	if (rest == NULL)
		return false;
	if ((flags & HEADER) && !when->is_number
	    && (when->kind != WHEN_DATE || !is_letter(*value)))
		return false;
	if ((flags & SPAN)
	    && (!is_string || when->is_number || when->kind != WHEN_DURATION))
		return false;
	if ((flags & HEADER) && when->is_number)
		when->kind = WHEN_DURATION;
	else if (flags & HEADER)
		when->zone = ZONE_OFFSET; /* GMT, if it is not said */
	return *rest == '\0'
	    || strchr(is_string ? "\"'`\\" : " \t\r,;])}>&|\"'\\", *rest)
	    != NULL;
}

/* The quota that NAME, with WORD in it, is one of, or NULL. */
static struct quota *
quota_of(struct waits *waits, const char *name, const char *word)
{
	struct quota quota = { .name = "" };
	size_t length = (size_t)(word_end(name) - name), size = strlen(word);
	size_t at = 0, i = 0;

	while (at + size <= length
	    && (strncasecmp(name + at, word, size) != 0
	        || (at > 0 && is_letter(name[at - 1]))
	        || is_letter(name[at + size])))
		at++;
	if (at + size > length || length >= sizeof quota.name)
		return NULL;
	memcpy(quota.name, name, at);
	memcpy(quota.name + at, name + at + size, length - at - size);
	while (i < waits->quotas_count
	    && strncasecmp(waits->quotas[i].name, quota.name, length) != 0)
		i++;
	if (i == WAIT_QUOTAS)
		return NULL;
	if (i == waits->quotas_count)
		waits->quotas[waits->quotas_count++] = quota;
	return &waits->quotas[i];
}

/* What the name and its value say of a quota. */
static void
look_at_quota(struct waits *waits, const char *name, const char *value)
{
	const char *number = value + strspn(value, "\"'`\\["), *point;
	const char *end = decimal_end(number, &point);
	int64_t amount
	    = end != NULL ? decimal_scale(number, point, end, 9) : -1;
	struct quota *quota = quota_of(waits, name, "remaining");

	waits->is_left |= (quota != NULL && amount > 0)
	    || (amount >= 0 && amount < 900 && match("used_percent", name))
	    || (match("status", name) && !strncasecmp(number, "allowed", 7));
	if (quota != NULL) {
		quota->is_used_up = amount == 0;
	} else {
		quota = quota_of(waits, name, "reset");
		if (quota == NULL || !read_value(value, 0, &quota->reset))
			return;
		quota->has_reset = true;
	}
	if (quota->has_reset && quota->is_used_up)
		found(waits, &waits->found[WAIT_HEADER], &quota->reset);
}

/* Only at the beginning of a line is it a header for sure. */
static void
look_at_unread(struct waits *waits, struct stated_wait *place, const char *name,
    const char *value)
{
	const char *end = waits->end;

	if (waits->line + strspn(waits->line, " \t<>") != name)
		return;
	while (end > value && strchr(" \t\r", end[-1]) != NULL)
		end--;
	if (end > value)
		unreadable(place, name, (size_t)(end - name));
	else if (place->stated < STATED_EMPTY)
		place->stated = STATED_EMPTY;
}

/* --- sentences --- */

/* The rest of TEXT after what may stand in front of a WHEN: ": about". */
static const char *
skip_between(const char *text)
{
	const char *rest = text, *word;

	do {
		text = rest;
		rest += strspn(rest, " \t:|~\"'`<*\\");
		rest += rest[0] == '-' && (rest[1] == ' ' || rest[1] == '-');
		/* Dashes and quotes of Unicode. */
		if (strncmp(rest, "\xe2\x80", 2) == 0
		    && ((unsigned char)rest[2] & 0xf0) == 0x90)
			rest += 3;
		word = match("(for|about|around|roughly|approximately|approx.|"
		             "approx|at least|up to|less than|another)",
		    rest);
		rest = word != NULL ? word : rest;
	} while (rest > text);
	return rest;
}

/* Reads the WHEN behind the words, of a kind that may follow them. */
static bool
read_when(const char *text, int flags, struct when *when)
{
	const char *rest = NULL;

	text = skip_between(text);
	if (flags & SPAN)
		rest = when_clock(text, when);
	if (rest == NULL)
		rest = when_scan(text, when);
	if (rest == NULL)
		return false;
	if (!when->is_number || when->kind == WHEN_EPOCH)
		return flags & (when->kind == WHEN_DURATION ? SPAN : MOMENT);
	rest += strspn(rest, " \t\r");
	return (flags & ALONE)
	    && (text[-1] == '_' || *rest == '\0'
	        || strchr(".)]}\"'`\\", *rest) != NULL
	        || strncmp(rest, "\xe2\x80", 2) == 0);
}

/* --- lines --- */

static void
look_at_words(struct waits *waits, const struct row *row, const char *at)
{
	struct stated_wait *place = row->flags & RESET
	    ? &waits->resets[WAIT_SENTENCE]
	    : &waits->found[WAIT_SENTENCE];
	const char *rest = match(row->words, at);
	struct when when;

	if (rest != NULL && read_when(rest, row->flags, &when)
	    && (row->needs[0] == '\0'
	        || has(waits->line, row->flags & BEFORE ? at : waits->end,
	            row->needs)
	        || (row->flags & FIRST && *rest != ':'
	            && (at == next_word(waits->line, at)
	                || strncmp(at - 2, ". ", 2) == 0))))
		found(waits, place, &when);
}

static void
look_at_name(struct waits *waits, const struct row *row, const char *at,
    const char *value)
{
	bool is_header = row->flags & HEADER;
	struct stated_wait *place = is_header ? &waits->found[WAIT_HEADER]
	    : row->flags & RESET              ? &waits->resets[WAIT_KEY]
	                                      : &waits->found[WAIT_KEY];
	struct when when;

	if (match(row->words, at) != word_end(at)
	    || (row->flags & DELAY && waits->lines > waits->delay_line + 1))
		return;
	if (row->flags & SPAN && *value == '{')
		waits->delay_line = waits->lines;
	if (read_value(value, row->flags, &when))
		found(waits, place, &when);
	else if (is_header)
		look_at_unread(waits, place, at, value);
}

void
waits_reset(struct waits *waits)
{
	for (int i = 0; i < WAIT_SOURCES; i++)
		waits->found[i].stated = waits->resets[i].stated
		    = STATED_MISSING;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		for (const char *at = rows[i].words; *at != '\0'; at++) {
			if (at > rows[i].words && strchr("(|", at[-1]) == NULL)
				continue;
			waits->first[*at & 31] |= UINT32_C(1) << i;
			waits->second[at[1] & 31] |= UINT32_C(1) << i;
		}
	waits->quotas_count = 0;
	waits->is_left = false;
	waits->lines = 0;
	waits->delay_line = -2;
}

/* Places with three such letters, of any case. */
#define AT(a, b, c) ((at[0] == (a)) & (at[1] == (b)) & (at[2] == (c)))

/*
 * Most lines have none of the words that a wait is stated with. The compiler
 * turns this into what the processor has for vectors.
 */
static bool
has_letters(const char *line, size_t length)
{
	typedef uint8_t bytes __attribute__((vector_size(STEP)));
	typedef uint64_t words __attribute__((vector_size(STEP)));
	words found = { 0 };
	bytes at[3];

	for (size_t i = 0; i < length; i += STEP) {
		char part[STEP + 2] = "";
		const char *from = line + i;

		if (length - i < sizeof part)
			from = memcpy(part, from, length - i);
		for (int j = 0; j < 3; j++) {
			memcpy(&at[j], from + j, STEP);
			at[j] |= 0x20;
		}
		found |= (words)(AT('t', 'r', 'y') | AT('e', 's', 'e')
		    | AT('e', 'm', 'a') | AT('w', 'a', 'i') | AT('v', 'a', 'i')
		    | AT('b', 'a', 'c') | AT('i', 'm', 'i') | AT('y', 'l', 'i')
		    | AT('t', 't', 'l') | AT('b', 'a', 'n') | AT('k', 'e', 'd')
		    | AT('e', 'a', 'k') | AT('r', 'c', 'e')
		    | AT('o', 'w', 'e'));
	}
	return (found[0] | found[1]) != 0;
}

/* Removes the escape sequences of terminals; returns the end. */
static char *
strip(char *line, char *end)
{
	char *to = line;

	for (const char *at = line; at < end;) {
		if (*at != '\x1b') {
			*to++ = *at++;
			continue;
		}
		at++;
		if (*at == '[')
			at += 1 + strspn(at + 1, "0123456789;:?<=>");
		else if (*at == ']')
			at += 1 + strcspn(at + 1, "\a\x1b");
		at += *at != '\0';
	}
	*to = '\0';
	return to;
}

static void
look_at_word(struct waits *waits, const char *at, const char *value)
{
	uint32_t which = waits->first[at[0] & 31] & waits->second[at[1] & 31];

	for (; which != 0; which &= which - 1) {
		const struct row *row = &rows[__builtin_ctz(which)];

		if (row->flags & (HEADER | KEY) ? value == NULL : false)
			continue;
		if (waits->wanted == WANTED_HEADERS && !(row->flags & HEADER))
			continue;
		if (row->flags & (HEADER | KEY))
			look_at_name(waits, row, at, value);
		else
			look_at_words(waits, row, at);
	}
	if (value != NULL)
		look_at_quota(waits, at, value);
}

void
waits_look(struct waits *waits, char *line, size_t length)
{
	struct stated_wait *header = &waits->found[WAIT_HEADER];
	const char *at = line;

	waits->lines++;
	/* There are headers, though perhaps none that states a wait. */
	if (header->stated == STATED_MISSING
	    && strncmp(line + strspn(line, " <"), "HTTP/", 5) == 0)
		header->stated = STATED_EMPTY;
	if (waits->lines > waits->delay_line + 1 && !has_letters(line, length))
		return;
	waits->line = line;
	waits->end = line + length;
	if (memchr(line, '\x1b', length) != NULL)
		waits->end = strip(line, line + length);
	while ((at = next_word(at, waits->end)) < waits->end) {
		const char *end = word_end(at);

		if (is_letter(*at))
			look_at_word(waits, at, value_of(end));
		at = end;
	}
}

void
waits_point(struct waits *waits, enum wait_source source, const char *text)
{
	struct stated_wait *place = &waits->found[source];
	struct when when;

	waits->line = waits->end = "";
	if (when_scan(skip_between(text), &when) != NULL)
		found(waits, place, &when);
	text = skip_blanks(text);
	if (place->line != waits->lines || place->stated != STATED_READ)
		unreadable(place, text, strlen(text));
}

const struct stated_wait *
waits_of(const struct waits *waits, enum wait_source source)
{
	const struct stated_wait *place = &waits->found[source];
	const struct stated_wait *reset = &waits->resets[source];

	return !waits->is_left && reset->stated == STATED_READ
	        && (place->stated != STATED_READ || reset->line >= place->line)
	    ? reset
	    : place;
}
