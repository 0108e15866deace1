/* SPDX-License-Identifier: MIT */
/* What is read in lines of output, and what is not. */
#include <config.h>

#include <stdlib.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/duration.h"
#include "core/pause/random.h"
#include "core/waits/anchors.h"
#include "core/waits/sources.h"
#include "unit/tap.h"

static struct waits waits;

/* A line of its own allocation, where reading beyond it is noticed. */
static void
look(const char *line)
{
	size_t length = strlen(line);
	char *exact = malloc(length + 1);

	if (exact == NULL)
		return;
	memcpy(exact, line, length + 1);
	/* As the scan does: a line without an anchor is not looked at. */
	if (anchor_next(exact, exact + length) < exact + length) {
		waits_look_at_header(&waits, exact, length);
		waits_look_at_text(&waits, exact, length);
	}
	free(exact);
}

static void
look_anew(const char *line)
{
	waits_reset(&waits);
	look(line);
}

/* What decides, or NULL. */
static const struct stated_wait *
decisive(void)
{
	for (int i = 0; i < WAIT_SOURCES; i++)
		if (waits_of(&waits, (enum wait_source)i)->stated
		    == STATED_READ)
			return waits_of(&waits, (enum wait_source)i);
	return NULL;
}

static void
asks(const char *line, enum when_kind kind, int64_t ns)
{
	const struct stated_wait *said;

	look_anew(line);
	said = decisive();
	if (!ok(said != NULL && said->when.kind == kind
	            && (kind > WHEN_EPOCH || said->when.ns == ns),
	        line)
	    && said != NULL)
		printf("# kind %d, %" PRId64 " ns\n", said->when.kind,
		    said->when.ns);
}

static void
asks_ms(const char *line, int64_t ms)
{
	asks(line, WHEN_DURATION, ms * NS_PER_MS);
}

static void
asks_for_epoch(const char *line, int64_t s)
{
	asks(line, WHEN_EPOCH, s * NS_PER_S);
}

static void
asks_for_date(const char *line)
{
	asks(line, WHEN_DATE, 0);
}

static void
asks_nothing(const char *line)
{
	look_anew(line);
	ok(decisive() == NULL, line);
}

static void
header_is(enum stated wanted, const char *what)
{
	is_int(waits_of(&waits, WAIT_HEADER)->stated, wanted, what);
}

/* Met in the wild: each where the table of the sources names. */
static void
test_real(void)
{
	asks_ms("Retry-After: 107650", 107650000);
	asks_for_date("acme: already issued for \"x.com\". Retry after  "
	              "2023-08-04T12:00:00Z: see https://letsencrypt.org/docs");
	asks_for_date("You have published too many new crates in a short "
	              "period of time. Please try again after Thu, 12 Dec 2024 "
	              "14:24:53 GMT or email help@crates.io to have your limit "
	              "increased.");
	asks_ms("Too Many Requests: retry after 2282", 2282000);
	asks_ms("{\"ok\":false,\"error_code\":429,\"description\":\"Too Many "
	        "Requests: retry after 2282\",\"parameters\":"
	        "{\"retry_after\":2282}}",
	    2282000);
	asks_ms("\"parameters\": {\"retry_after\": 2282}", 2282000);
	asks_ms("have exceeded call rate limit of your current OpenAI S0 "
	        "pricing tier. Please retry after 3 seconds. Please go here: "
	        "https://aka.ms/oai/quotaincrease",
	    3000);
	asks_ms("Sorry, you've exceeded your 5 hour session limits. Please "
	        "retry after 2733 seconds.",
	    2733000);
	asks("You've hit your session limit \xc2\xb7 resets 8pm "
	     "(Europe/Amsterdam)",
	    WHEN_TIME, 0);
	asks("resets 5:30am (Asia/Calcutta)", WHEN_TIME, 0);
	asks("limit reached \xe2\x88\x99 resets 4pm (UTC)", WHEN_TIME, 0);
	asks_for_epoch(
	    "{\"status\":\"rejected\",\"resetsAt\": 1788625200}", 1788625200);
	asks_ms("X-RateLimit-Reset-After: 1.337", 1337);
	asks_ms("x-amz-retry-after: 1500", 1500);
	asks_ms("429 Too Many Requests: You have been rate limited. Try again "
	        "in 1m12.5s",
	    72500);
	asks("Please retry in 34.074824224s.", WHEN_DURATION, 34074824224);
}

static void
test_not_read(void)
{
	asks_nothing("I will try again in the morning");
	asks_nothing("waiting for 3 other jobs");
	asks_nothing("Retry after fixing the errors");
	asks_nothing("retry 3 of 5");
	asks_nothing("retry after 3 attempts");
	asks_nothing("connection resets 3 times");
	asks_nothing("resets 25:99 (UTC)");
	asks_nothing("resets Monday");
	asks_nothing("await 5s");
	asks_nothing("wait_for 5s");
	asks_nothing("presets 5s");
	asks_nothing("resets3pm");
	asks_nothing("retryafter 5s");
	asks_nothing("retry-after 5s");
	asks_nothing("use --wait 5s");
	asks_nothing("wait 5");
	asks_nothing("wait for 5");
	asks_nothing("wait 15:04");
	asks_nothing("wait 2026-11-23 15:00");
	asks_nothing("retry after -5");
	asks_nothing("retry after -5s");
	asks_nothing("retry after 5-10 seconds");
	asks_nothing("retry after 30\xe2\x80\x93"
	             "60 seconds");
	asks_nothing("retry at 50%");
	asks_nothing("retry after 5 \xc3\xa9t\xc3\xa9");
	asks_nothing("retry after");
	asks_nothing("retry after:");
	asks_nothing("retry");
	asks_nothing("{\"retry_after\": null}");
	asks_nothing("{\"retry_after\": -5}");
	asks_nothing("{\"retry_after\": \"soon\"}");
	asks_nothing("{\"retry_after\": {\"s\": 5}}");
	asks_nothing("{\"retry_after\": 5x}");
	asks_nothing("{\"retry_after\" 5}");
	asks_nothing("{\"retry_afterwards\": 5}");
	asks_nothing("{\"my_retry_after\": 5}");
	asks_nothing("{\"retry_after\": \"5");
	asks_nothing("RateLimit: \"default\";r=50;t=30");
}

static void
test_words(void)
{
	static const char *const words[]
	    = { "retry after", "retry in", "retry at", "retry again after",
		      "retry again in", "retry again at", "try again after",
		      "try again in", "try again at", "resets", "resets at",
		      "resets in", "resets on", "reset at", "reset in",
		      "reset after", "will reset at", "will reset in", "wait",
		      "wait for", "available again at", "available again in",
		      "back off for", "RETRY AFTER", "Please  Try\tAgain  In" };
	char line[80];

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		snprintf(line, sizeof line, "%s 5s", words[i]);
		asks_ms(line, 5000);
	}
	asks_ms("retry after: 5s", 5000);
	asks_ms("retry after - 5s", 5000);
	asks_ms("retry after \xe2\x80\x94 5s", 5000);
	asks_ms("retry after\xe2\x80\x93"
	        "5s",
	    5000);
	asks_ms("wait for about 5s", 5000);
	asks_ms("wait approximately 5 minutes", 300000);
	asks_ms("wait another 5 minutes", 300000);
	asks_ms("Please wait: for about another 5 min.", 300000);
	asks_ms("(retry in 5s)", 5000);
	asks_ms("<p>Retry in 5 seconds</p>", 5000);
	asks_ms("\"retry in 5 seconds\"", 5000);
	asks("Your limit will reset at 3:20 AM (UTC)", WHEN_TIME, 0);
	asks("resets Nov 25, 3pm (UTC)", WHEN_DAY, 0);
	asks_for_epoch("retry at @1788625200", 1788625200);
}

static void
test_number_in_sentence(void)
{
	static const char *const ends[] = { "", " ", "\r", " \r", ".", ". ",
		", please", ";", "!", "?", ")", "]", "}", "\"", "\\\"", "'",
		"`", "</p>", "...", "\xe2\x80\xa6", "\xe2\x80\x9d" };
	char line[80];

	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		snprintf(line, sizeof line, "retry after 35%s", ends[i]);
		asks_ms(line, 35000);
	}
}

static void
test_keys(void)
{
	static const char *const keys[] = { "retry_after", "retryAfter",
		"retry-after", "retryDelay", "retry_delay", "resetsAt",
		"reset_at", "resetAt", "resets_at", "resetTime", "reset_time" };
	char line[80];

	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		snprintf(line, sizeof line, "{\"%s\":5}", keys[i]);
		asks_ms(line, 5000);
		snprintf(line, sizeof line, "  \"%s\" : \"5s\",", keys[i]);
		asks_ms(line, 5000);
		snprintf(line, sizeof line, "{\"%s_ms\":1500}", keys[i]);
		asks_ms(line, 1500);
		snprintf(line, sizeof line, "{\"%sMs\":\"1500\"}", keys[i]);
		asks_ms(line, 1500);
		snprintf(line, sizeof line, "{\\\"%s\\\": 5}", keys[i]);
		asks_ms(line, 5000);
	}
	asks("{\"retryDelay\": \"34.074824224s\"}", WHEN_DURATION, 34074824224);
	asks_ms("\"{\\\"retry_after\\\": \\\"5s\\\"}\"", 5000);
	asks_ms("\\\\\\\"retry_after\\\\\\\": 5", 5000);
	asks_for_epoch("{\"reset_at_ms\":1788625200000}", 1788625200);
	asks_for_date("{\"resetTime\":\"2026-11-23T15:00:00Z\"}");
	asks_ms("{\"retry_after\":0.35}", 350);
	asks_ms("{\"retry_after\":5", 5000);
}

static void
test_retry_after(void)
{
	static const char *const missing[] = { "", " ", "<", "< ",
		"Retry-After", "Retry-After 8", "Retry-After : 8",
		"Retry-Afters: 8", "X-Retry-After: 8", "not Retry-After: 8",
		"<< Retry-After: 8", "* Retry-After: 8" };
	static const char *const unreadable[] = { "-1", "+8", "1.5", "8s",
		"0x8", "1 2", "soon", "Sat, 21 Nov 2026 12:00:08 GMT+1",
		"Sat, 21 Nov 2026 12:00:08 GMT and more",
		"Sat, 21 Nov 2026 12:00:08", "Fri, 99 Nov 2026 12:00:08 GMT",
		"2026-11-21",
		/* No server writes so many digits. */
		("0000000000000000000000000000000000000000000000000000000000000"
		 "00000000000000000000008") };
	char line[128];

	asks_ms("retry-after:008", 8000);
	asks_ms(" \t< RETRY-AFTER: \t8 \t\r", 8000);
	asks_ms("> Retry-After: 0", 0);
	asks_ms("Retry-After: 9223372036", INT64_C(9223372036000));
	asks("Retry-After: 9223372037", WHEN_DURATION, INT64_MAX);
	asks("Retry-After: 99999999999999999999", WHEN_DURATION, INT64_MAX);
	asks_for_epoch(
	    "Retry-After: Sat, 21 Nov 2026 12:00:08 GMT", 1795262408);
	asks_for_epoch(
	    "Retry-After: Saturday, 21-Nov-26 12:00:08 GMT", 1795262408);
	asks_for_epoch("Retry-After: Tue Dec  1 12:00:00 2026", 1796126400);
	asks_for_epoch("Retry-After: Sat, 01 Jan 0001 00:00:00 GMT", 0);
	for (size_t i = 0; i < ARRAY_LENGTH(missing); i++) {
		look_anew(missing[i]);
		header_is(STATED_MISSING, missing[i]);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(unreadable); i++) {
		snprintf(line, sizeof line, "Retry-After: %s", unreadable[i]);
		look_anew(line);
		header_is(STATED_UNREADABLE, line);
	}
	look_anew("Retry-After:");
	header_is(STATED_EMPTY, "no value");
	look_anew("Retry-After: \r");
	header_is(STATED_EMPTY, "a blank");
}

static void
test_reset_headers(void)
{
	look_anew("X-RateLimit-Reset: 1788625200");
	ok(decisive() == NULL, "a reset alone is no wait");
	look("X-RateLimit-Remaining: 4999");
	ok(decisive() == NULL, "nor is it if something remains");
	look("X-RateLimit-Remaining: 0");
	is_int(decisive()->when.ns, 1788625200 * NS_PER_S,
	    "it is if nothing remains");
	look("x-ratelimit-reset: 46");
	is_int(decisive()->when.ns, 46 * NS_PER_S, "the last one counts");
	look("Retry-After: 7");
	is_int(decisive()->when.ns, 7 * NS_PER_S, "  whichever it is");
	look("< RateLimit-Reset: 8");
	is_int(decisive()->when.ns, 8 * NS_PER_S, "  so a reset again");
	waits_reset(&waits);
	ok(decisive() == NULL, "a new attempt has none of them");
	look("ratelimit-remaining: 0\r");
	look("ratelimit-reset: 9\r");
	is_int(decisive()->when.ns, 9 * NS_PER_S, "without an X, in any order");
	look_anew("X-RateLimit-Remaining: ");
	look("X-RateLimit-Reset: soon");
	is_int(waits_of(&waits, WAIT_HEADER)->stated, STATED_MISSING,
	    "one that does not count is not complained of");
	look("X-RateLimit-Remaining: 0");
	is_string(waits_of(&waits, WAIT_HEADER)->text,
	    "X-RateLimit-Reset: soon", "one that counts is");
}

static void
test_other_headers(void)
{
	asks_ms("X-Amz-Retry-After:1500", 1500);
	asks_ms("RateLimit-Reset-After: 3", 3000);
	asks_ms("> x-ratelimit-reset-after: 0.5\r", 500);
	/* Not of 1970: what is after is after. */
	asks_ms("RateLimit-Reset-After: 1788625200", 1788625200000);
	look_anew("X-Amz-Retry-After: 5s");
	is_string(waits_of(&waits, WAIT_HEADER)->text, "X-Amz-Retry-After: 5s",
	    "a unit is none of a header");
	look_anew(
	    "X-RateLimit-Reset-After: soon, but not before all of this has "
	    "been said");
	is_int((int64_t)strlen(waits_of(&waits, WAIT_HEADER)->text), 60,
	    "a long text is cut");
}

static void
test_order(void)
{
	look_anew("resets in 5s");
	look("resets in 6s");
	look("resets in the morning");
	is_int(decisive()->when.ns, 6 * NS_PER_S,
	    "the later line counts, if it can be read");
	look("{\"retry_after\":7}");
	look("try again in 8s");
	is_int(decisive()->when.ns, 7 * NS_PER_S, "keys before sentences");
	look("Retry-After: 9");
	look("{\"retry_after\":10}");
	is_int(decisive()->when.ns, 9 * NS_PER_S, "headers before keys");
	waits_point(&waits, WAIT_REGEX, " 11 or so");
	look("Retry-After: 12");
	is_int(decisive()->when.ns, 11 * NS_PER_S, "a REGEX before headers");
	waits_point(&waits, WAIT_REGEX, "no time");
	is_int(decisive()->when.ns, 11 * NS_PER_S, "  if it can be read");
	look_anew("retry in 5s, or try again in 6s");
	is_int(decisive()->when.ns, 6 * NS_PER_S, "the last of a line");
}

static void
test_pointers(void)
{
	waits_reset(&waits);
	waits_point(&waits, WAIT_REGEX, ": about 35 remaining");
	is_int(decisive()->when.ns, 35 * NS_PER_S,
	    "a REGEX may point at a number alone");
	waits_reset(&waits);
	waits_point(&waits, WAIT_REGEX, "soon");
	ok(decisive() == NULL, "at nothing it can read");
	is_string(waits.found[WAIT_REGEX].text, "soon", "  whose text is kept");
	is_int(waits.found[WAIT_REGEX].stated, STATED_UNREADABLE,
	    "  as one that cannot be read");
}

static bool
only_mars(const char *name)
{
	return strcmp(name, "Mars/Phobos") == 0;
}

static void
test_zones(void)
{
	waits.has_zone = only_mars;
	asks("resets 3pm (Mars/Phobos)", WHEN_TIME, 0);
	asks_nothing("resets 3pm (Mars/Deimos)");
	asks_nothing("{\"resetTime\":\"15:04 (Mars/Deimos)\"}");
	asks("resets 3pm (UTC)", WHEN_TIME, 0);
	waits.has_zone = NULL;
}

/* What anchor_next() finds is what a simple search finds. */
static void
compare_anchors(void)
{
	static const char words[][6]
	    = { "try", "reset", "remai", "wait", "back", "avail" };
	static const char letters[] = "tryesmaiwbckvl .TRYE";
	struct random chance = random_from(20261123);
	char bytes[80];
	int64_t wrong = 0, hits = 0;

	for (int round = 0; round < 300000; round++) {
		size_t length = (size_t)random_between(&chance, 0, 79);
		const char *end = bytes + length, *wanted = end;

		for (size_t i = 0; i < length; i++)
			bytes[i] = letters[random_between(
			    &chance, 0, (int64_t)sizeof letters - 2)];
		if (length > 5 && round % 2 == 0) {
			size_t word = (size_t)random_between(&chance, 0, 5);
			size_t size = strlen(words[word]);

			memcpy(bytes
			        + random_between(
			            &chance, 0, (int64_t)(length - size)),
			    words[word], size);
		}
		bytes[length] = 'y';
		for (const char *at = end; at-- > bytes;)
			for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
				size_t size = strlen(words[i]);

				if ((size_t)(end - at) >= size
				    && strncasecmp(at, words[i], size) == 0)
					wanted = at;
			}
		wrong += anchor_next(bytes, end) != wanted;
		hits += wanted < end;
	}
	is_int(wrong, 0, "anchors are found where they are");
	ok(hits > 100000, "  and they were there");
}

static void
has_anchor(const char *row)
{
	ok(anchor_next(row, row + strlen(row)) < row + strlen(row), row);
}

/* A row of the table that is behind no anchor would never be read. */
static void
test_table(void)
{
	static const char names[][24] = {
#define HEADER(name, kind, source) name,
#define KEY(name, source) name,
#include "core/waits/waits.def"
	};
	static const char sentences[][24] = {
#define SENTENCE(words, source) words,
#define UNIT_SENTENCE(words, source) words,
#include "core/waits/waits.def"
	};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		has_anchor(names[i]);
	for (size_t i = 0; i < ARRAY_LENGTH(sentences); i++) {
		const char *words = sentences[i];
		const char *anchor = anchor_next(words, words + strlen(words));

		has_anchor(words);
		ok(anchor == words || (anchor == words + 2 && *words == 'r'),
		    "  which is its first word");
	}
}

/* Nothing is read beyond the end, wherever a line is cut. */
static void
test_cuts(void)
{
	static const char *const lines[] = {
		"Retry-After: Sat, 21 Nov 2026 12:00:08 GMT",
		"x {\\\"retry_after_ms\\\" : \\\"1500\\\"}",
		"resets Nov 25 at 3:04:05 pm (America/New_York)",
		"retry again after: about 1 hour and 30 minutes.",
		"resets 2026-11-23 15:00:00.5 +01:00",
	};
	char part[80];

	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
		for (size_t length = 0; length <= strlen(lines[i]); length++) {
			memcpy(part, lines[i], length);
			part[length] = '\0';
			look_anew(part);
		}
	ok(decisive() != NULL, "lines are cut anywhere");
}

TESTS
{
	test_real();
	test_not_read();
	test_words();
	test_number_in_sentence();
	test_keys();
	test_retry_after();
	test_reset_headers();
	test_other_headers();
	test_order();
	test_pointers();
	test_zones();
	compare_anchors();
	test_table();
	test_cuts();
}
