/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "core/base/base.h"
#include "core/waits/waits.h"

enum {
	/* What has to follow the words, or is the value of that name. */
	SPAN = 1 << 0, /* a duration; a string of one */
	MOMENT = 1 << 1,
	ALONE = 1 << 2, /* a NUMBER of seconds, where the sentence ends */
	KEY = 1 << 3, /* a value that is a WHEN */
	HEADER = 1 << 4, /* one of seconds, or a date of HTTP */
	MILLI = 1 << 5, /* a number is one of milliseconds */
	DELAY = 1 << 6, /* in "retry_delay { seconds: 34 }", of two lines */
	RESET = 1 << 7, /* it counts if nothing is left of the quota */
	BEFORE = 1 << 8, /* what the row needs stands before the words, ... */
	FIRST = 1 << 9, /* ... or they are the first ones of a sentence */
};

struct row {
	const char *words, *needs; /* patterns of skip_pattern() */
	int flags;
};

#define QUOTA "(will|limit|quota|usage|window)"
#define BACK(words) \
	{ words " (in|after|for)", "", SPAN | MOMENT }, \
	{ \
		words " (at|on)", "", MOMENT \
	}

static const struct row rows[] = {
	{ "retry-after", "", HEADER },
	{ "(rate|x-rate)_limit-reset-after", "", HEADER },
	{ "(x-amz-retry-after|retry-after-ms|x-ms-retry-after-ms)", "",
	    HEADER | MILLI },
	{ "retry_after(_seconds|_secs|_sec|_s|)", "", KEY },
	{ "(retry_after|wait)_ms", "", KEY | MILLI },
	{ "wait_seconds", "", KEY },
	{ "(reset|resets)_(at|time|in_seconds)", "", KEY | RESET },
	{ "(reset|resets)_(at|time|in)_ms", "", KEY | RESET | MILLI },
	{ "retry_delay", "", KEY | SPAN },
	{ "seconds", "", KEY | DELAY },
	BACK("retry( again| will occur|)"),
	BACK("try again"),
	BACK("come back"),
	BACK("available( again|)"),
	BACK("back off"),
	{ "retry( will occur|) after", "", ALONE },
	{ "(flood|flood_premium|slowmode)_wait_", "", ALONE },
	{ "limit reached", "", MOMENT },
	{ "resets( at| on|)", "", MOMENT | RESET },
	{ "resets (in|after)", "", SPAN | MOMENT | RESET },
	{ "reset( at| on|)", QUOTA, MOMENT | RESET | BEFORE },
	{ "reset (in|after)", QUOTA, SPAN | MOMENT | RESET | BEFORE },
	{ "wait of", "", SPAN },
	{ "wait", "(please|must|you|need|have to|before|required)",
	    SPAN | FIRST },
	{ "until", "(wait|banned|blocked|locked|limited)", MOMENT | BEFORE },
	{ "for",
	    "(greylisted|rate limited|rate-limited|throttled|banned|blocked|"
	    "locked out|break)",
	    SPAN },
};
_Static_assert(ARRAY_LENGTH(rows) <= 32, "a row is a bit");

/* A line with one of these is about the program's own waits, or a figure. */
#define VETO \
	"(will retry|ll retry|will try again|ll try again|retrying in|" \
	"retrying after|trying again in|next retry|next try|waited|avg|" \
	"max retry|max wait|maximum wait|min wait|total wait)"

/* Lines of a test's report begin so; the bytes are ticks and crosses. */
#define REPORT \
	"(ok|not ok|pass|fail|task [|\xe2\x9c\x93|\xe2\x9c\x94|\xe2\x9c\x95|" \
	"\xe2\x9c\x96|\xe2\x9c\x97|\xe2\x9c\x98|\xc3\x97|\xe2\x88\x9a)"

/* The end of the word, or of the name with dashes, at AT. */
static const char *
name_end(const char *at)
{
	static const bool is_of_name[256] = { ['0' ... '9'] = true,
		['A' ... 'Z'] = true,
		['a' ... 'z'] = true,
		['-'] = true,
		['_'] = true };

	while (is_of_name[(unsigned char)*at])
		at++;
	return at;
}

static void
found(struct waits *waits, struct stated_wait *place, const struct when *when)
{
	const char *begin = waits->line + strspn(waits->line, " \t-=");

	if (skip_pattern(begin, REPORT) != NULL
	    || has_pattern(begin, waits->end, VETO)
	    || (when->zone == ZONE_NAMED && !waits->has_zone(when->zone_name)))
		return;
	place->stated = STATED_READ;
	place->when = *when;
	place->line = waits->lines;
}

static void
unread(struct stated_wait *place, enum stated stated, const char *text)
{
	if (place->stated > stated)
		return;
	place->stated = stated;
	text_copy(place->text, sizeof place->text, text);
}

/* The value behind a name that ends at AT, or NULL. */
static const char *
value_of(const char *at)
{
	const char *rest = at;

	while (*rest == ' ' || *rest == '"' || *rest == '\'' || *rest == '`'
	    || *rest == '\\')
		rest++;
	if (*rest == '{') /* as text of protobuf */
		return rest;
	/* With a comma, it is a pair of strings. */
	if (*rest != ':' && *rest != '=' && (*rest != ',' || rest == at))
		return NULL;
	return skip_blanks(rest + (rest[1] == '>' ? 2 : 1));
}

/* Reads the value of a name, behind which nothing else may stand. */
static bool
read_value(const char *text, int flags, struct when *when)
{
	const char *value = text + strspn(text, "\"'`\\[(<"), *rest;
	bool is_string = value > text && strchr("\"'`\\", value[-1]) != NULL;

	rest = flags & MILLI ? when_number(value, NS_PER_MS, when)
	                     : when_scan(value, when);
	if (rest == NULL || (is_string && *rest == '\0')
	    || strchr(is_string ? "\"'`\\" : " \t,;])}>&|\"'\\", *rest) == NULL)
		return false;
	if (flags & SPAN)
		return is_string && !when->is_number
		    && when->kind == WHEN_DURATION;
	if ((flags & HEADER) && when->is_number) {
		when->kind = WHEN_DURATION;
	} else if (flags & HEADER) {
		when->zone = ZONE_OFFSET; /* GMT, unless it says another zone */
		return when->date.year != 0 && is_letter(*value);
	}
	return true;
}

static void
look_at_name(struct waits *waits, const struct row *row, const char *name,
    const char *value)
{
	struct stated_wait *place = &waits->found[(row->flags & RESET)
	    != 0][row->flags & HEADER ? WAIT_HEADER : WAIT_KEY];
	struct when when;

	if (skip_pattern(name, row->words) != name_end(name)
	    || (row->flags & DELAY && waits->lines > waits->delay_ends))
		return;
	if (row->flags & SPAN && *value == '{')
		waits->delay_ends = waits->lines + 1;
	if (read_value(value, row->flags, &when))
		found(waits, place, &when);
	else if (row->flags & HEADER
	    && waits->line + strspn(waits->line, " \t<>") == name)
		unread(place, *value != '\0' ? STATED_UNREADABLE : STATED_EMPTY,
		    name);
}

/* The quota that NAME, with WORD in it, is one of, or NULL. */
static struct quota *
quota_of(struct waits *waits, const char *name, const char *word)
{
	size_t size = strlen(word);
	const char *end = name_end(name);
	uint64_t key = 1; /* of the name without the word */
	bool has_word = false;

	for (const char *at = name; at < end; at++) {
		if ((at == name || !is_letter(at[-1]))
		    && strncasecmp(at, word, size) == 0
		    && !is_letter(at[size])) {
			has_word = true;
			at += size - 1;
		} else {
			key = key * 31 + (unsigned char)(*at | 0x20);
		}
	}
	for (size_t i = 0; has_word && i < WAIT_QUOTAS; i++)
		if (waits->quotas[i].key == 0 || waits->quotas[i].key == key) {
			waits->quotas[i].key = key;
			return &waits->quotas[i];
		}
	return NULL;
}

/* Notes what a name and its value say about a quota. */
static void
look_at_quota(struct waits *waits, const char *name, const char *value)
{
	struct quota *quota = quota_of(waits, name, "remaining");
	const char *number = value + strspn(value, "\"'`\\[");
	double amount = -1;

	number_scan(number, &amount);
	waits->is_left |= (quota != NULL && amount > 0)
	    || (amount >= 0 && amount < 100
	        && skip_pattern(name, "used_percent"))
	    || (skip_pattern(name, "status")
	        && skip_pattern(number, "allowed"));
	if (quota != NULL) {
		quota->is_used_up = amount == 0;
	} else {
		quota = quota_of(waits, name, "reset");
		if (quota == NULL || !read_value(value, 0, &quota->reset))
			return;
		quota->has_reset = true;
	}
	if (quota->has_reset && quota->is_used_up)
		found(waits, &waits->found[0][WAIT_HEADER], &quota->reset);
}

/* Skips what may stand in front of a WHEN: ": about", dashes and quotes. */
static const char *
skip_between(const char *text)
{
	for (const char *rest = text; rest != NULL;) {
		text = rest + strspn(rest, " \t:|~\"'`<*\\");
		if (text[0] == '-' && (text[1] == ' ' || text[1] == '-'))
			rest = text + 1;
		else if (strncmp(text, "\xe2\x80", 2) == 0 && text[2] != '\0')
			rest = text + 3;
		else
			rest = skip_pattern(text,
			    "(for|about|around|roughly|approximately|approx.|"
			    "approx|at least|up to|less than|another)");
	}
	return text;
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
	return (flags & ALONE)
	    && (text[-1] == '_' || *rest == '\0'
	        || strchr(".)]}\"'`\\", *rest) != NULL
	        || strncmp(rest, "\xe2\x80\x9d", 3) == 0);
}

/* Whether AT is the first word of the line, or of a sentence. */
static bool
is_first(const struct waits *waits, const char *at)
{
	while (at > waits->line && strchr(" \t>*([-\"'", at[-1]) != NULL)
		at--;
	return at == waits->line || strchr(".!", at[-1]) != NULL;
}

/* "You have used 90% of your limit, which resets at 3pm." */
static bool
has_share_left(const char *line)
{
	const char *at = strchr(line, '%');

	return at != NULL && at - line > 2 && is_digit(at[-1])
	    && strncmp(at - 3, "100", 3) != 0 && strncmp(at - 2, " 0", 2) != 0;
}

/*
 * "wait: 60s" is a setting, "wait for 60s: ok" a report; but an address has a
 * colon, too, and the next sentence may.
 */
static bool
has_colon(const char *text)
{
	while (*text != '\0' && *text != ':' && strncmp(text, ". ", 2) != 0)
		text++;
	return *text == ':' && text[1] != '/';
}

static void
look_at_words(struct waits *waits, const struct row *row, const char *at)
{
	const char *rest = skip_pattern(at, row->words);
	const char *end = row->flags & BEFORE ? at : waits->end;
	bool is_reset = row->flags & RESET;
	struct when when;

	if (rest == NULL || !read_when(rest, row->flags, &when)
	    || (is_reset && has_share_left(waits->line)))
		return;
	if (row->needs[0] == '\0' || has_pattern(waits->line, end, row->needs)
	    || (row->flags & FIRST && !has_colon(rest) && is_first(waits, at)))
		found(waits, &waits->found[is_reset][WAIT_SENTENCE], &when);
}

void
waits_reset(struct waits *waits)
{
	*waits = (struct waits) { .wanted = waits->wanted,
		.has_zone = waits->has_zone };
	for (int i = 0; i < WAIT_SOURCES; i++)
		waits->found[0][i].stated = STATED_MISSING;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		for (const char *at = rows[i].words; *at != '\0'; at++) {
			if (at > rows[i].words && strchr("(|", at[-1]) == NULL)
				continue;
			waits->first[*at & 31] |= UINT32_C(1) << i;
			waits->second[at[1] & 31] |= UINT32_C(1) << i;
		}
}

/* Places with three such letters, of any case. */
#define AT(a, b, c) \
	(((first | 32) == (a)) & ((second | 32) == (b)) & ((third | 32) == (c)))

/* Most lines have no word of a wait. (This becomes instructions on vectors.) */
static bool
has_letters(const char *line, size_t length)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	typedef uint64_t words __attribute__((vector_size(16)));
	words found = { 0 };

	if (length < 18)
		return true;
	for (size_t i = 0; i + 2 < length; i += sizeof(bytes)) {
		const char *from = line + (i < length - 18 ? i : length - 18);
		bytes first, second, third;

		memcpy(&first, from, sizeof first);
		memcpy(&second, from + 1, sizeof second);
		memcpy(&third, from + 2, sizeof third);
		found |= (words)(AT('t', 'r', 'y') | AT('e', 's', 'e')
		    | AT('e', 'm', 'a') | AT('w', 'a', 'i') | AT('v', 'a', 'i')
		    | AT('b', 'a', 'c') | AT('i', 'm', 'i') | AT('y', 'l', 'i')
		    | AT('t', 't', 'l') | AT('b', 'a', 'n') | AT('k', 'e', 'd')
		    | AT('e', 'a', 'k') | AT('r', 'c', 'e')
		    | AT('o', 'w', 'e'));
	}
	return (found[0] | found[1]) != 0;
}

/*
 * Removes the escape sequences of terminals, as ECMA-48 defines them; returns
 * the end. AT may move past END, but not by more than one.
 */
static char *
strip(char *line, const char *end)
{
	char *to = line;

	for (const char *at = line; at < end; at++) {
		if (*at != '\x1b') {
			*to++ = *at;
			continue;
		}
		at++;
		if (*at == ']') { /* a string, up to BEL or ESC \ */
			at += strcspn(at, "\a\x1b");
			at += *at == '\x1b';
			continue;
		}
		if (*at == '[')
			at += 1 + strspn(at + 1, "0123456789:;<=>?");
		at += strspn(at, " !\"#$%&'()*+,-./");
	}
	return to;
}

static void
look_at_word(struct waits *waits, const char *at, const char *value)
{
	uint32_t which = waits->first[at[0] & 31] & waits->second[at[1] & 31];

	for (; which != 0; which &= which - 1) {
		const struct row *row = &rows[__builtin_ctz(which)];
		bool is_name = row->flags & (HEADER | KEY);

		if (waits->wanted != WANTED_ALL && !(row->flags & HEADER))
			continue;
		if (!is_name)
			look_at_words(waits, row, at);
		else if (value != NULL)
			look_at_name(waits, row, at, value);
	}
	if (value != NULL)
		look_at_quota(waits, at, value);
}

void
waits_look(struct waits *waits, char *line, size_t length)
{
	struct stated_wait *header = &waits->found[0][WAIT_HEADER];
	char *end = line + length;

	waits->lines++;
	if (header->stated == STATED_MISSING
	    && (*line == 'H' || *line == ' ' || *line == '<')
	    && strncmp(line + strspn(line, " <"), "HTTP/", 5) == 0)
		header->stated = STATED_EMPTY; /* no wait in them so far */
	if (waits->lines > waits->delay_ends && !has_letters(line, length))
		return;
	if (memchr(line, '\x1b', length) != NULL)
		end = strip(line, end);
	while (end > line && strchr(" \t\r", end[-1]) != NULL)
		end--;
	*end = '\0';
	waits->line = line;
	waits->end = end;
	for (const char *at = line, *rest; at < end; at = rest) {
		rest = name_end(at);
		if (rest == at) /* a newline is quoted: "\nTry again" */
			rest += *at == '\\' && strchr("nt", at[1]) ? 2 : 1;
		else if ((*at | 0x20) >= 'a')
			look_at_word(waits, at, value_of(rest));
	}
}

void
waits_point(struct waits *waits, enum wait_source source, const char *text)
{
	struct stated_wait *place = &waits->found[0][source];
	struct when when;

	waits->line = waits->end = "";
	if (when_scan(skip_between(text), &when) != NULL)
		found(waits, place, &when);
	unread(place, STATED_UNREADABLE, skip_blanks(text));
}

const struct stated_wait *
waits_of(const struct waits *waits, enum wait_source source)
{
	const struct stated_wait *plain = &waits->found[0][source];
	const struct stated_wait *reset = &waits->found[1][source];

	return !waits->is_left && reset->stated == STATED_READ
	        && (plain->stated != STATED_READ || reset->line >= plain->line)
	    ? reset
	    : plain;
}
