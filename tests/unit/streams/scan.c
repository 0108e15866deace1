/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <stdlib.h>

#include "core/base/base.h"
#include "core/judge/outcome.h"
#include "core/pause/schedule.h"
#include "streams/streams.h"
#include "unit/by_regexec.h"
#include "unit/tap.h"

static struct random chance;

static size_t
below(size_t bound)
{
	return (size_t)random_between(&chance, 0, (int64_t)bound - 1);
}

/* --- a scan, and what a simple one finds --- */

static struct scan scan;
static struct scan_stream stream;

/* What it says, or -1. */
static int64_t
read_ns(const struct stated_wait *said)
{
	return said->stated == STATED_READ ? said->when.ns : -1;
}

static void
clear(void)
{
	memset(&scan, 0, sizeof scan);
	memset(&stream, 0, sizeof stream);
}

static const char *
begin(const char *regex)
{
	const char *refused;

	clear();
	scan.waits.wanted = WANTED_ALL;
	stream.is_stderr = true;
	refused = scan_add(&scan, VERDICT_STOP, regex);
	scan_reset(&scan);
	return refused;
}

static void
end(void)
{
	for (size_t i = 0; i < scan.count; i++)
		regfree(&scan.conditions[i].regex.compiled);
	if (scan.has_union)
		regfree(&scan.any_message.compiled);
}

/* Feeds TEXT in pieces of random sizes up to MOST. */
static void
feed(const char *text, size_t length, size_t most)
{
	while (length > 0) {
		size_t size = 1 + below(most);

		size = size < length ? size : length;
		scan_bytes(&scan, &stream, text, size);
		text += size;
		length -= size;
	}
	scan_finish(&scan, &stream);
}

static void
feed_text(const char *text)
{
	feed(text, strlen(text), 7);
}

/* The same, as regexec(3) alone finds it. */
static bool
is_there(const char *regex, const char *text, size_t length)
{
	regex_t compiled;
	bool found;

	if (regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	found = any_line_matches(&compiled, text, length);
	regfree(&compiled);
	return found;
}

/* --- a condition matches what regexec matches --- */

/* Up to MOST of COUNT parts, at random. */
static void
make(char *text, size_t size, const char *const *parts, size_t count,
    size_t most)
{
	*text = '\0';
	for (size_t i = below(most + 1); i > 0; i--) {
		const char *part = parts[below(count)];

		if (strlen(text) + strlen(part) < size)
			strcat(text, part);
	}
}

/* Many of these regular expressions are invalid and refused. */
static void
make_regex(char *regex, size_t size)
{
	static const char *const parts[] = { "a", "b", "ab", "abc", "c", ".",
		"\\.", "*", "+", "?", "{0}", "{0,1}", "{1,2}", "{2}", "{,1}",
		"{1,}", "(", ")", "|", "^", "$", "[ab]", "[^a]", "[]a]",
		"[^]a|]", "[[:alpha:]c]", "[[.b.]]", "[[=a=]|]", "[(]", "\\(",
		"\\|", "\\\\", "\\*", "\\w", "\\b", "\\<", "\\/", "|", "x", "-",
		" ", "}", "\\{", "abcabcabcabcabcabc" };

	do
		make(regex, size, parts, ARRAY_LENGTH(parts), 8);
	while (*regex == '\0');
}

/* Lines made of the parts of such a regular expression. */
static void
make_text(char *text, size_t size)
{
	static const char *const parts[] = { "a", "b", "c", "ab", "abc", "x",
		"abcabcabcabcabcabc", "|", "(", "]", ".", "*", "\\", "-", " ",
		"}", "{", "n", "/", "\n", "\n", "\n" };

	make(text, size, parts, ARRAY_LENGTH(parts), 11);
}

static bool
agrees(const char *regex, const char *text)
{
	size_t length = strlen(text);
	bool wanted = is_there(regex, text, length);
	bool found;

	begin(regex);
	feed(text, length, 64);
	found = scan_match(&scan, -1) != NULL;
	if (found != wanted)
		printf("# '%s' is %s in '%s'\n", regex,
		    wanted ? "missed" : "found", text);
	end();
	return found == wanted;
}

TEST(with_regexec)
{
	int compared = 0, wrong = 0;

	chance = random_from(20261121);
	while (compared < 5000 && wrong < 10) {
		char regex[128], text[256];
		regex_t compiled;

		make_regex(regex, sizeof regex);
		if (regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0)
			continue;
		regfree(&compiled);
		for (int i = 0; i < 4; i++) {
			make_text(text, sizeof text);
			wrong += !agrees(regex, text);
		}
		compared++;
	}
	ok(wrong == 0,
	    "5000 random regular expressions match as regexec has it");
}

/* Expressions that are easy to rewrite wrongly, and what each match contains.
 */
TEST(known_traps)
{
	static const struct {
		const char *regex, *text, *literal;
	} traps[] = {
		{ "xa+?y", "xy", "x" },
		{ "xa+*y", "xy", "x" },
		{ "xa+{0}y", "xy", "x" },
		{ "xa*+y", "xy", "x" },
		{ "xab?{0}y", "xay", "xa" },
		{ "(ab)?c", "c", "c" },
		{ "(a|b)c|d", "d", "" },
		{ "ab|", "", "" },
		{ "a|b", "b", "" },
		{ "[|]a", "|a", "a" },
		{ "[)]a)b", ")a)b", "a" },
		{ "([)]a)?b", "b", "b" },
		{ "([]|]a)?b", "b", "b" },
		{ "(\\)a)?b", "b", "b" },
		{ "a\\|b", "a|b", "a" },
		{ "abcabcabcabcabcabcabcabcabcabcabc*",
		    "abcabcabcabcabcabcabcabcabcabcab",
		    "abcabcabcabcabcabcabcabcabcabca" },
		{ "abcabcabcabcabcabcabcabcabcabca?b",
		    "abcabcabcabcabcabcabcabcabcabcb",
		    "abcabcabcabcabcabcabcabcabcabc" },
		{ "a\nb", "a\nb", "" },
		{ "^$", "a\n\nb", "" },
		{ "[[:alpha:]|]b", "|b", "b" },
		{ "[[.-.]]b", "-b", "b" },
		{ "[[=a=]]b", "ab", "b" },
		{ "a{2}b", "aab", "b" },
		{ "ba{0}", "b", "b" },
		{ "[z]ab?cdef(ghijkl)mno", "zcdefghijklmno", "cdef" },
		{ "a{2,3}b\\.(c(d)ee)fg", "aab.cdeefg", "fg" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(traps); i++) {
		ok(agrees(traps[i].regex, traps[i].text),
		    "a regular expression that is easily misread");
		/* musl knows no collating symbols. */
		if (scan.count > 0)
			is_string(scan.conditions[0].regex.literal,
			    traps[i].literal, traps[i].regex);
	}
}

/* Lines, bytes, and escapes that regcomp(3) does not know. */
TEST(matches)
{
	static const struct {
		const char *regex, *text;
		size_t length;
		bool found;
	} cases[] = {
		{ "^end$", "begin\nend\n", 10, true },
		{ "^end$", "begin\nend", 9, true },
		{ "n.e", "begin\nend\n", 10, false },
		{ "^$", "a\n", 2, false },
		{ "^end\r$", "end\r\n", 5, true },
		{ "^a\1b$", "a\0b\n", 4, true },
		{ "a$", "a\0b\n", 4, false },
		{ "^..$", "\303\251\n", 3, true },
		{ "\377", "a\377b\n", 4, true },
		{ "Fatal", "fatal\n", 6, false },
		{ "^\\d+$", "42\n", 3, true },
		{ "\\d", "d\n", 2, false },
		{ "\\D", "d\n", 2, true },
		{ "a\\tb", "a\tb\n", 4, true },
		{ "[\\d]", "\\\n", 2, true },
		{ "^[\\1]\\\\1", "1\\1\n", 4, true },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		char what[40];

		snprintf(what, sizeof what, "match %zu of the table", i);
		begin(cases[i].regex);
		feed(cases[i].text, cases[i].length, 3);
		is_int(scan_match(&scan, -1) != NULL, cases[i].found, what);
		end();
	}
}

/* --- lines, wherever they are cut --- */

/* Random lines, some around SCAN_LINE long, with NULs. */
static size_t
make_long_text(char *text, size_t size)
{
	size_t length = 0;

	for (size_t lines = 1 + below(6); lines > 0; lines--) {
		size_t line = below(3) == 0
		    ? SCAN_LINE - 8 + below(16) * below(200)
		    : below(200);

		for (size_t i = 0; i < line && length < size; i++)
			text[length++] = "xxxxxxx\0"[below(8)];
		for (const char *at = below(3) == 0 ? "needle" : "pin";
		     *at != '\0' && length < size; at++)
			text[length++] = *at;
		if ((lines > 1 || below(2) == 0) && length < size)
			text[length++] = '\n';
	}
	return length;
}

TEST(pieces)
{
	static char text[6 * (SCAN_LINE + 300)];
	static const size_t sizes[]
	    = { 7, 500, 4096, SCAN_LINE - 1, SCAN_LINE };
	char *exact;
	int wrong = 0;

	for (int i = 0; i < 100; i++) {
		size_t length = make_long_text(text, sizeof text);
		bool wanted = is_there("needl[e]$", text, length);
		char last_line[SCAN_QUOTE + 1];

		/* On the heap, where reading beyond it is noticed. */
		exact = malloc(length + 1);
		if (exact == NULL)
			break;
		memcpy(exact, text, length);
		for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
			begin("needl[e]$");
			feed(exact, length, sizes[j]);
			wrong += (scan_match(&scan, -1) != NULL) != wanted;
			if (j > 0)
				wrong += strcmp(last_line, scan.last_line.text)
				    != 0;
			memcpy(
			    last_line, scan.last_line.text, sizeof last_line);
			end();
		}
		free(exact);
	}
	is_int(wrong, 0, "lines are the same in pieces of every size");
}

/* What is cut off a line, here SCAN_LINE or more bytes long, is not its end. */
TEST(cut_lines)
{
	static const struct {
		size_t length;
		const char *rest;
		bool ends;
		int64_t wait_ns;
	} cases[] = {
		{ SCAN_LINE - 1, "", true, 13 * NS_PER_S },
		{ SCAN_LINE, "", true, 13 * NS_PER_S },
		{ SCAN_LINE, "0 minutes", false, -1 },
		{ 2 * SCAN_LINE, "", false, -1 },
	};
	static char line[2 * SCAN_LINE + 16];
	const size_t tail = sizeof "retry after 13" - 1;

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		size_t length = cases[i].length;
		const struct waits *waits = &scan.waits;

		memset(line, ' ', length);
		memcpy(line + (length <= SCAN_LINE ? length : SCAN_LINE) - tail,
		    "retry after 13", tail);
		strcpy(line + length, cases[i].rest);
		begin("3$");
		scan_add(&scan, VERDICT_RETRY, "retry after 13");
		scan.wait_regexes_count = 0;
		scan_add_wait_regex(&scan, "after (13$)");
		feed(line, strlen(line), 700);
		is_int(scan_match(&scan, -1)->verdict,
		    cases[i].ends ? VERDICT_STOP : VERDICT_RETRY,
		    "$ is the end of the whole line");
		is_int(read_ns(waits_of(waits, WAIT_REGEX)), cases[i].wait_ns,
		    "for --retry-after=REGEX too");
		is_int(read_ns(waits_of(waits, WAIT_SENTENCE)),
		    cases[i].wait_ns, "and what is cut in two is no wait");
		end();
		regfree(&scan.wait_regexes[0].compiled);
	}
}

static void
last_line_is(const char *text, const char *wanted, const char *what)
{
	begin("never");
	feed_text(text);
	is_string(scan.last_line.text, wanted, what);
	end();
}

TEST(last_line)
{
	char text[300], wanted[300];

	last_line_is("", "", "no output has no last line");
	last_line_is("a\nb \t\n", "b", "the last line is the last one");
	last_line_is("a\nb", "b", "and needs no newline");
	last_line_is("a\n \t\r\n\n", "a", "blank lines are none");
	last_line_is("ERROR: at\n        ^\n", "ERROR: at",
	    "nor is a line without a letter");
	last_line_is("\xc3\xa9\n42\n", "\xc3\xa9", "a letter of UTF-8 is one");
	last_line_is("  0% \r 50% of it\r100% of it\n", "100% of it",
	    "what stands after the last carriage return");
	last_line_is("100% of it\r\n", "100% of it", "but not at its end");
	last_line_is("first\r", "first", "nor at the end of all");
	last_line_is("one\r\rtwo\r\r", "two", "nor where there are several");
	last_line_is("a\tb\033c\177d\"e\n", "a?b?c?d?e",
	    "control characters and quotes are replaced");
	memset(text, 'x', sizeof text);
	text[200] = '\0';
	memset(wanted, 'x', SCAN_QUOTE);
	wanted[SCAN_QUOTE] = '\0';
	last_line_is(text, wanted, "120 bytes of it are kept");
	memcpy(text + SCAN_QUOTE - 1, "\xe2\x82\xac", 3);
	wanted[SCAN_QUOTE - 1] = '\0';
	last_line_is(text, wanted, "but no part of a character");
	memcpy(text + SCAN_QUOTE - 3, "\xe2\x82\xacxx", 5);
	memcpy(wanted + SCAN_QUOTE - 3, "\xe2\x82\xac", 4);
	last_line_is(text, wanted, "a whole one stays");
	memset(text, '\x80', SCAN_QUOTE + 9);
	memset(wanted, '\x80', SCAN_QUOTE - 3);
	wanted[SCAN_QUOTE - 3] = '\0';
	last_line_is(text, wanted, "and what is no UTF-8 is cut by 3 bytes");
	begin("never");
	stream.is_stderr = false;
	feed_text("a\n");
	is_string(scan.last_line.text, "", "stdout has none");
	end();
}

/* --- conditions --- */

TEST(quotes)
{
	begin("number [0-9]");
	feed_text("start\n10%\rnumber 1 \"x\"\n"
	          "number 2\nthe end\n");
	is_string(scan_match(&scan, -1)->quote.text, "number 1 ?x?",
	    "the first line that matched is kept, from its last return on");
	is_string(scan.last_line.text, "the end", "beside the last one");
	end();
	begin("number");
	stream.is_stderr = false;
	feed_text("number 1\n");
	is_string(scan_match(&scan, -1)->quote.text, "", "but none of stdout");
	end();
}

TEST(both_streams)
{
	for (int is_stderr = 0; is_stderr < 2; is_stderr++) {
		begin("line");
		stream.is_stderr = is_stderr;
		feed_text("a line\nRetry-After: 8\n");
		ok(scan_needs(&scan, &stream), "either stream is needed");
		ok(scan_match(&scan, -1) != NULL, "and matched against");
		ok(waits_of(&scan.waits, WAIT_HEADER)->stated == STATED_READ,
		    "and searched for a header");
		end();
	}
}

TEST(order)
{
	static const enum verdict order[] = { VERDICT_STOP, VERDICT_SUCCESS,
		VERDICT_THROTTLE, VERDICT_RETRY };

	for (size_t first = 0; first < 4; first++) {
		clear();
		for (size_t i = 4; i > first; i--)
			scan_add(&scan, order[i - 1], "line");
		scan_reset(&scan);
		ok(scan_match(&scan, -1) == NULL, "nothing matches at first");
		feed_text("a line\n");
		is_int(scan_match(&scan, -1)->verdict, order[first],
		    "stop, success, throttle, retry");
		scan_reset(&scan);
		ok(scan_match(&scan, -1) == NULL, "a reset forgets it");
		end();
	}
}

#define EXPECTED "expected an extended regular expression"

TEST(refusals)
{
	static const struct {
		const char *regex, *why; /* or how it begins */
	} refused[] = {
		{ "", "expected a regular expression" },
		{ "a\nb", "expected a regular expression for one line" },
		{ "(a)\\1", EXPECTED " without \\1 (\\\\ is a backslash)" },
		{ "a\\nb", EXPECTED " without \\n (\\\\ is a backslash)" },
		{ "(", EXPECTED ": " },
		{ "[", EXPECTED ": " },
		{ "a{2,1}", EXPECTED ": " },
		{ "\\", EXPECTED ": " },
		{ "[z-a]", EXPECTED ": " },
		{ "[[:none:]]", EXPECTED ": " },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
		const char *why = begin(refused[i].regex);
		const char *wanted = refused[i].why;

		ok(why != NULL && strncmp(why, wanted, strlen(wanted)) == 0
		        && strchr(why, '\n') == NULL,
		    "what is no regular expression is refused with a reason");
		end();
	}
}

/* --- messages of a tool --- */

static void
begin_tool(const char *name)
{
	clear();
	stream.is_stderr = true;
	scan_add_tool(&scan, tool_named(name));
	ok(scan.count > 0, name);
	scan_reset(&scan);
}

#define CURL_ERROR "curl: (22) The requested URL returned error: "
#define NO_SPACE "write failed: No space left on device (28)\n"

/* What lines of stderr mean with a status, and which of them decides. */
TEST(tool_messages)
{
	static const struct {
		const char *tool, *lines;
		int status;
		enum verdict verdict;
	} cases[] = {
		{ "curl", CURL_ERROR "404\n", 22, VERDICT_STOP },
		{ "curl", CURL_ERROR "404\n", 21, VERDICT_NONE },
		{ "curl", CURL_ERROR "404\n", 23, VERDICT_NONE },
		{ "curl", "words\n", 22, VERDICT_NONE },
		{ "rsync", NO_SPACE, 10, VERDICT_NONE },
		{ "rsync", NO_SPACE, 11, VERDICT_STOP },
		{ "rsync", NO_SPACE, 23, VERDICT_STOP },
		{ "rsync", NO_SPACE, 24, VERDICT_NONE },
		{ "curl", CURL_ERROR "503\n" CURL_ERROR "429\n", 22,
		    VERDICT_THROTTLE },
		{ "curl", CURL_ERROR "429\n" CURL_ERROR "404\n", 22,
		    VERDICT_STOP },
		{ "curl", CURL_ERROR "404\n" CURL_ERROR "429\n", 22,
		    VERDICT_STOP },
		/* Messages for other codes do not interfere. */
		{ "rsync", NO_SPACE "@ERROR: max connections\n", 5,
		    VERDICT_THROTTLE },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct condition *message;

		begin_tool(cases[i].tool);
		feed_text(cases[i].lines);
		message = scan_match(&scan, cases[i].status);
		is_int(message != NULL ? message->verdict : VERDICT_NONE,
		    cases[i].verdict, cases[i].tool);
		end();
	}
}

TEST(tool_streams)
{
	begin_tool("curl");
	ok(scan_needs(&scan, &stream), "a tool needs stderr");
	stream.is_stderr = false;
	ok(!scan_needs(&scan, &stream), "but not stdout");
	feed_text(CURL_ERROR "404\n");
	ok(scan_match(&scan, 22) == NULL, "nor is it looked at there");
	stream.is_shared = true;
	ok(scan_needs(&scan, &stream), "unless stdout is the same open file");
	feed_text(CURL_ERROR "404\n");
	ok(scan_match(&scan, 22) != NULL, "where it is looked at");
	is_string(scan_match(&scan, 22)->quote.text, "", "and not quoted");
	scan_reset(&scan);
	stream.is_shared = false;
	stream.is_stderr = true;
	feed_text(CURL_ERROR "404\n");
	is_string(known_text(scan_match(&scan, 22)->message->meaning),
	    "HTTP 404 or 410: not found", "its message has a meaning");
	ok(scan_match(&scan, -1) == NULL, "it is no condition of the user");
	scan_reset(&scan);
	ok(scan_match(&scan, 22) == NULL, "a reset forgets the message");
	end();
	begin_tool("npm");
	stream.is_stderr = false;
	ok(scan_needs(&scan, &stream), "some tools need stdout, too");
	end();
}

/* As many conditions as a user may give, and all messages beside them. */
TEST(tool_room)
{
	clear();
	stream.is_stderr = true;
	for (int i = 0; i < SCAN_CONDITIONS; i++)
		if (scan_add(&scan, VERDICT_THROTTLE, "line") != NULL)
			ok(false, "a condition is refused");
	is_string(scan_add(&scan, VERDICT_THROTTLE, "line"),
	    "expected at most 64 conditions in all", "one too many is refused");
	scan_add_tool(&scan, tool_named("git"));
	ok(scan.has_union, "some messages are compared together");
	scan_reset(&scan);
	feed_text("a line\n");
	ok(scan_match(&scan, 1) == NULL, "a condition is no message");
	is_int(scan_match(&scan, -1)->verdict, VERDICT_THROTTLE, "it matches");
	scan_reset(&scan);
	feed_text("failed to update ref\n");
	ok(scan_match(&scan, 1) != NULL, "the last message is there");
	ok(scan_match(&scan, -1) == NULL, "a message is no condition");
	end();
}

/* --- stated waits: what is one is in unit/waits --- */

/* What that source says, or -1. */
static int64_t
wait_of(enum wait_source source)
{
	return read_ns(waits_of(&scan.waits, source));
}

TEST(pointed_waits)
{
	begin("never");
	ok(scan_add_wait_regex(&scan, "") != NULL, "an empty REGEX is refused");
	ok(scan_add_wait_regex(&scan, "(") != NULL, "a broken one is");
	ok(scan_add_wait_regex(&scan, "a\nb") != NULL, "one of two lines is");
	for (int i = 0; i < SCAN_WAIT_REGEXES - 4; i++)
		scan_add_wait_regex(&scan, "never");
	scan_add_wait_regex(&scan, "come back in");
	scan_add_wait_regex(&scan, "delay=([0-9]+)ms");
	scan_add_wait_regex(&scan, "^([0-9]+)s to go");
	scan_add_wait_regex(&scan, "free (at (.*)|now)");
	ok(scan_add_wait_regex(&scan, "never") != NULL, "one too many is");
	feed_text("Retry-After: 1\n");
	feed_text("come back in 5 minutes, please\n");
	is_int(wait_of(WAIT_REGEX), 300 * NS_PER_S, "what follows a match");
	feed_text("delay=35ms attempts=3\n");
	is_int(
	    wait_of(WAIT_REGEX), 35 * NS_PER_S, "what the first group matches");
	feed_text("40s to go\n");
	is_int(wait_of(WAIT_REGEX), 40 * NS_PER_S, "... if a line begins so");
	scan_reset(&scan);
	feed_text("come back in the evening\n");
	is_string(scan.waits.found[0][WAIT_REGEX].text, "the evening",
	    "what is no time is kept");
	feed_text("free now\n");
	is_int(scan.waits.found[0][WAIT_REGEX].stated, STATED_UNREADABLE,
	    "what is none, either");
	end();
	for (size_t i = 0; i < scan.wait_regexes_count; i++)
		regfree(&scan.wait_regexes[i].compiled);
}
