/* SPDX-License-Identifier: MIT */
/* What is read in lines of output, and what is not. */
#include <config.h>

#include <stdlib.h>

#include "core/base/base.h"
#include "core/waits/waits.h"
#include "unit/tap.h"

static struct waits waits;

/*
 * Each line of TEXT in its own allocation, where reading beyond it is noticed,
 * with so many BLANKS behind it: short lines take another way.
 */
static void
look(const char *text, size_t blanks)
{
	for (const char *end; *text != '\0'; text = end + (*end == '\n')) {
		size_t length = strcspn(text, "\n");
		char *line = malloc(length + blanks + 1);

		end = text + length;
		if (line == NULL)
			return;
		memcpy(line, text, length);
		memset(line + length, ' ', blanks);
		line[length + blanks] = '\0';
		waits_look(&waits, line, length + blanks);
		free(line);
	}
}

static bool
is_not_deimos(const char *name)
{
	return strcmp(name, "Mars/Deimos") != 0;
}

static void
look_anew(const char *text)
{
	waits.wanted = WANTED_ALL;
	waits.has_zone = is_not_deimos;
	waits_reset(&waits);
	look(text, 0);
}

/* What decides, or NULL. */
static const struct when *
decisive(void)
{
	for (int i = 0; i < WAIT_SOURCES; i++) {
		const struct stated_wait *said
		    = waits_of(&waits, (enum wait_source)i);

		if (said->stated == STATED_READ)
			return &said->when;
	}
	return NULL;
}

/* What decides is WANTED, a WHEN as text; NULL: nothing does. */
static void
decides(const char *wanted, const char *what)
{
	const struct when *got = decisive();
	struct when when;

	if (wanted == NULL || got == NULL) {
		ok(wanted == NULL && got == NULL, what);
		return;
	}
	ok(when_parse(wanted, &when) && got->kind == when.kind
	        && got->ns == when.ns && got->zone == when.zone
	        && got->offset_s == when.offset_s
	        && strcmp(got->zone_name, when.zone_name) == 0
	        && (when.kind <= WHEN_EPOCH
	            || memcmp(&got->date, &when.date, sizeof when.date) == 0),
	    what);
}

/* Real ones are from the issues and documents that waits.md names. */
static const struct {
	const char *text, *when;
} texts[] = {
	/* Headers. */
	{ "Retry-After: 107650", "107650s" },
	{ " \t< RETRY-AFTER: \t8 \t\r", "8s" },
	{ "> Retry-After: 0", "0s" },
	{ "retry-after:008", "8s" },
	{ "Retry-After: 2.0", "2s" },
	{ "Retry-After: 99999999999999999999", "99999999999999999999s" },
	{ "Retry-After: Sat, 21 Nov 2026 12:00:08 GMT",
	    "2026-11-21 12:00:08 GMT" },
	{ "Retry-After: Tue Dec  1 12:00:00 2026", "2026-12-01 12:00 GMT" },
	{ "429 Too Many Requests (Retry-After: 90)", "90s" },
	{ "{'Retry-After': '17'}", "17s" },
	{ "[('retry-after', '18'), ('x', 'y')]", "18s" },
	{ "map[Retry-After:[30]]", "30s" },
	{ "[:status=429, retry-after=120, content-length=0]", "120s" },
	{ "x-amz-retry-after: 1500", "1.5s" },
	{ "retry-after-ms: 1500", "1.5s" },
	{ "x-ms-retry-after-ms: 1500", "1.5s" },
	{ "X-RateLimit-Reset-After: 1.337", "1.337s" },
	{ "ratelimit-reset-after: 1788625200", "1788625200s" },
	{ "X-Retry-After: 8", NULL },
	{ "backoff: sh: --retry-after: 8", NULL },

	/* Headers that count if nothing remains. */
	{ "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1788625200",
	    "@1788625200" },
	{ "X-Ratelimit-Reset: 46\r\nX-Ratelimit-Remaining: 0\r", "46s" },
	{ "x-rate-limit-remaining: 0.0\nx-rate-limit-reset: 3pm (UTC)",
	    "3pm UTC" },
	{ "x-ratelimit-remaining-requests: 0\n"
	  "x-ratelimit-reset-requests: 8.64s",
	    "8.64s" },
	{ "anthropic-ratelimit-requests-remaining: \"0\"\n"
	  "anthropic-ratelimit-requests-reset: 2026-11-26T10:00:00Z",
	    "2026-11-26 10:00 UTC" },
	{ "{\"limit\":60,\"remaining\":0,\"reset\":1788625200}",
	    "@1788625200" },
	{ "X-RateLimit-Reset: 1788625200", NULL },
	{ "X-RateLimit-Reset: 1788625200\nX-RateLimit-Remaining: 4999", NULL },
	{ "x-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-requests: 8s",
	    NULL },

	/* Keys. */
	{ "{\\\"retry_after\\\" : \\\"5s\\\"}", "5s" },
	{ "\"retry_after_seconds\": 0.35,", "350ms" },
	{ "{\"retryAfter\":5", "5s" },
	{ "{'retryAfterMs': '1500'}", "1.5s" },
	{ "retry_after=5 status=429", "5s" },
	{ "retry-after-seconds: 5", "5s" },
	{ "retry_after: 5 minutes", "5 min" },
	{ "\"wait-seconds\": 12", "12s" },
	{ "{\"resets_in_seconds\": 77}", "77s" },
	{ "{\"status\":\"rejected\",\"resetsAt\": 1788625200}", "@1788625200" },
	{ "{\"reset_at_ms\":1788625200000}", "@1788625200" },
	{ "{\"resetTime\":\"2026-11-23T15:00:00Z\"}", "2026-11-23 15:00 UTC" },
	{ "{\"retryDelay\": \"34.074824224s\"}", "34.074824224s" },
	{ ", retry_delay {\n  seconds: 34\n}", "34s" },
	{ "retry_delay { seconds: 34 }", "34s" },
	{ "retry_delay {\n}\nseconds: 34", NULL },
	{ "\"retryDelay\":30000", NULL },
	{ "retry_delay: 5s", NULL },
	{ "{\"rateLimit\":{\"remaining\":4999,\"resetAt\":\"3pm UTC\"}}",
	    NULL },
	{ "\"status\":\"allowed\",\"resetsAt\":1788625200", NULL },
	{ "{\"used_percent\": 45.2, \"resets_in_seconds\": 77}", NULL },
	{ "{\"used_percent\": 100.0, \"resets_in_seconds\": 77}", "77s" },
	{ "{\"retry_after\": null}", NULL },
	{ "{\"retry_after\": -5}", NULL },
	{ "{\"retry_after\": \"5 of them\"}", NULL },
	{ "{\"retry_after\": 5x}", NULL },
	{ "{\"retry_after\": \"5", NULL },
	{ "{\"retry_after\" 5}", NULL },
	{ "{\"retry_afterwards\": 5}", NULL },
	{ "{\"my_retry_after\": 5}", NULL },

	/* Sentences. */
	{ "acme: already issued for \"x.com\". Retry after  "
	  "2023-08-04T12:00:00Z: see https://letsencrypt.org/docs",
	    "2023-08-04 12:00 UTC" },
	{ "You have published too many new crates in a short period of time. "
	  "Please try again after Thu, 12 Dec 2024 14:24:53 GMT or email us",
	    "2024-12-12 14:24:53 GMT" },
	{ "reached a rate/request limit. Retry will occur after: 29", "29s" },
	{ "of your current OpenAI S0 pricing tier. Please retry after 3 "
	  "seconds. Please go here: https://aka.ms/oai/quotaincrease",
	    "3s" },
	{ "You've hit your session limit \xc2\xb7 resets 8pm "
	  "(Europe/Amsterdam)",
	    "8pm (Europe/Amsterdam)" },
	{ "Please try again after '372' seconds.", "372s" },
	{ "Request was throttled. Expected available in 29 seconds.", "29s" },
	{ "A wait of 3540 seconds is required", "3540s" },
	{ "[420 FLOOD_WAIT_3540] (caused by", "3540s" },
	{ "try again at Dec 5th, 2026 8:19 PM.", "2026-12-05 20:19" },
	{ "resets in ~30s", "30s" },
	{ "Please wait at least 30 seconds", "30s" },
	{ "Greylisted for 300 seconds", "300s" },
	{ "try again in a minute", "60s" },
	{ "try again in 4:59.", "4m59s" },
	{ "try again at 15:04", "15:04" },
	{ "retry after 15:04 UTC", "15:04 UTC" },
	{ "Claude AI usage limit reached|1788625200", "@1788625200" },
	{ "Your IP has been banned until 2026-11-26 09:00 UTC",
	    "2026-11-26 09:00 UTC" },
	{ "Take a break for 4 minutes before trying again.", "4m" },
	{ "you are locked out for 15 minutes", "15m" },
	{ "Your limit will reset at 3:20 AM (UTC)", "3:20am UTC" },
	{ "Access resets at 10:57 PM GMT-3.", "22:57 -03:00" },
	{ "You need to wait 5 minutes", "5m" },
	{ "Wait 5 minutes.", "5m" },
	{ "Wait 30s (see https://x.org). Limit: 5", "30s" },
	{ "Wait 30s. Limit: 5", "30s" },
	{ "Rate limited. Wait 5 minutes and try again.", "5m" },
	{ "wait another 5 minutes please", "5m" },
	{ "Please wait: for about another 5 min.", "5m" },
	{ "retry again after: \"5s\"", "5s" },
	{ "retry after - 5s", "5s" },
	{ "retry after \xe2\x80\x94 5s", "5s" },
	{ "retry in <b>5s</b>", NULL },
	{ "**Retry** in **30** seconds", NULL },
	{ "\x1b[1mRetry\x1b[0m after \x1b]8;;x\a\x1b[31m5s\x1b[0m", "5s" },
	{ "\x1b]8;;x\x1b\\try again in\x1b]8;;\x1b\\ 5s", "5s" },
	{ "\x1b(B\x1b[mTry again in \x1b[1m5s\x1b(B\x1b[m", "5s" },
	{ "\x1b[>4;1mTry again in\x1b[1 q 5s\x1b", "5s" },
	{ "\0337try again in 5s\0338", "5s" },
	{ "limited.\\nTry again in 7s", "7s" },
	{ "retry in up to 5s", "5s" },
	{ "back off for 5s", "5s" },
	{ "come back in 5s", "5s" },
	{ "(retry in 5s)", "5s" },
	{ "Please  Try\tAgain  In 5s", "5s" },
	{ "waiting for 3 other jobs", NULL },
	{ "Retry after fixing the errors", NULL },
	{ "retry 3 of 5", NULL },
	{ "retry after 3 attempts", NULL },
	{ "connection resets 3 times", NULL },
	{ "connection reset at 14:03:22", NULL },
	{ "curl: (7) Failed. Will retry in 4 seconds. 3 retries left.", NULL },
	{ "Retrying in 5s", NULL },
	{ "waited 3s, please wait 5s", NULL },
	{ "ok 14 - retry after 60s", NULL },
	{ "  \xe2\x9c\x93 retry after 60s", NULL },
	{ "FAIL: retry after 60s", NULL },
	{ "TASK [retry after 60s]", NULL },
	{ "wait: 60s", NULL },
	{ "wait for the server: 60s", NULL },
	{ "wait for 60s: PASS", NULL },
	{ "you've used 90% of your limit, resets 3pm", NULL },
	{ "you've used 100% of your limit, resets 3pm", "3pm" },
	{ "max wait 3m20s", NULL },
	{ "avg 3s, please wait 5s", NULL },
	{ "please try again in 2027.", NULL },
	{ "Max retry after 5", NULL },
	{ "we retry after 3, 5 and 7 failures", NULL },
	{ "please await 5s", NULL },
	{ "use --wait 5s, please", NULL },
	{ "retry after -5s", NULL },
	{ "retry after 5-10 seconds", NULL },
	{ "retry after 30–60 seconds", NULL },
	{ "retry after", NULL },
	{ "retry after:", NULL },
	{ "please wait 5", NULL },
	{ "resets 3pm (Mars/Deimos)", NULL },

	/* Which one decides. */
	{ "retry in 5s\nretry in 6s\nretry in the morning", "6s" },
	{ "retry in 5s, or try again in 6s", "6s" },
	{ "{\"retry_after\":7}\ntry again in 8s", "7s" },
	{ "Retry-After: 9\n{\"retry_after\":10}", "9s" },
	{ "Retry-After: 9\nRetry-After: soon", "9s" },
	{ "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 8\nRetry-After: 7",
	    "7s" },
	{ "Retry-After: 7\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 8",
	    "8s" },
	{ "{\"retry_after\":5,\"reset_at\":6,\"remaining\":1}", "5s" },
	{ "{\"remaining\":0,\"retry_after\":5,\"reset_at\":6}", "6s" },
};

TEST(texts)
{
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		char what[160];

		look_anew(texts[i].text);
		snprintf(what, sizeof what, "%s", texts[i].text);
		what[strcspn(what, "\n")] = '\0';
		decides(texts[i].when, what);
		waits_reset(&waits);
		look(texts[i].text, 20);
		decides(texts[i].when, "  with blanks behind it");
	}
}

/* A NUMBER has to be the end of what is said. */
TEST(number_in_sentence)
{
	static const char *const ends[] = { "", " ", "\r", " \r", ".", ". ",
		")", "]", "}", "\"", "\\\"", "'", "`", "...", "\xe2\x80\x9d" };
	char line[80];

	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		snprintf(line, sizeof line, "retry after 35%s", ends[i]);
		look_anew(line);
		decides("35s", line);
	}
}

/* What a header is known to be, and the text that is told of it. */
TEST(unreadable)
{
	static const struct {
		const char *text;
		enum stated stated;
		const char *told;
	} cases[] = {
		{ "< Retry-After: soon \r", STATED_UNREADABLE,
		    "Retry-After: soon" },
		{ "Retry-After: -1", STATED_UNREADABLE, "Retry-After: -1" },
		{ "Retry-After: 8s", STATED_UNREADABLE, "Retry-After: 8s" },
		{ "Retry-After: 2026-11-21", STATED_UNREADABLE,
		    "Retry-After: 2026-11-21" },
		{ "Retry-After: Fri, 99 Nov 2026 12:00:08 GMT",
		    STATED_UNREADABLE,
		    "Retry-After: Fri, 99 Nov 2026 12:00:08 GMT" },
		{ "X-Amz-Retry-After: soon, but not before all of this has "
		  "been said",
		    STATED_UNREADABLE,
		    "X-Amz-Retry-After: soon, but not before all of this has "
		    "been" },
		{ "Retry-After: \r", STATED_EMPTY, NULL },
		{ "HTTP/1.1 429 Too Many Requests", STATED_EMPTY, NULL },
		{ "not Retry-After: soon", STATED_MISSING, NULL },
		{ "resets soon", STATED_MISSING, NULL },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct stated_wait *header;

		look_anew(cases[i].text);
		header = waits_of(&waits, WAIT_HEADER);
		is_int(header->stated, cases[i].stated, cases[i].text);
		if (cases[i].told != NULL)
			is_string(header->text, cases[i].told, "  is told");
	}
}

TEST(pointers)
{
	look_anew("Retry-After: 12");
	waits_point(&waits, WAIT_REGEX, ": about 35 remaining");
	decides("35s", "a REGEX may point at a number alone");
	look("Retry-After: 13", 0);
	waits_point(&waits, WAIT_REGEX, "no time");
	decides("35s", "  which comes before a header, and stays");
	look_anew("");
	waits_point(&waits, WAIT_REGEX, "soon");
	decides(NULL, "it may point at nothing that is a time");
	is_string(
	    waits.found[0][WAIT_REGEX].text, "soon", "  whose text is kept");
}

TEST(headers_only)
{
	look_anew("");
	waits.wanted = WANTED_HEADERS;
	look("{\"retry_after\":7}\nretry in 8s", 0);
	decides(NULL, "a client of HTTP alone makes no hint of a sentence");
	look("retry-after: 9", 0);
	decides("9s", "  but of a header");
}

/* Nothing is read beyond the end, wherever a line is cut. */
TEST(cuts)
{
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		for (size_t end = strlen(texts[i].text); end > 0; end--) {
			char *part = strndup(texts[i].text, end);

			if (part == NULL)
				return;
			look_anew(part);
			free(part);
		}
	ok(true, "lines are cut anywhere");
}
