/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static void
json_is(const char *string, const char *wanted, const char *what)
{
	json_member_string(fresh(), "", string);
	is_string(buffer + strlen(",\"\":"), wanted, what);
}

static void
printable_is(const char *string, const char *wanted, const char *what)
{
	text_printable(fresh(), string);
	is_string(buffer, wanted, what);
}

TEST(text)
{
	char room[8];
	struct text small = text_in(room, sizeof room);

	is_string(room, "", "a new text is empty");
	text_add(&small, "abc");
	text_add(&small, NUMBER(-45));
	is_string(room, "abc-45", "strings and numbers follow each other");
	text_digits(&small, 7, 3);
	is_string(room, "abc-450", "what does not fit is left out");
	is_int((int64_t)small.length, 7, "and the length is that of the text");
	small = text_in(room, sizeof room);
	text_digits(&small, 42, 5);
	is_string(room, "00042", "digits are padded");
	small = text_in(room, sizeof room);
	text_add(&small, NUMBER(INT64_MIN));
	is_string(room, "-922337", "the least number does not overflow");
}

TEST(json)
{
	json_is("a\"b\\c\n\x01", "\"a\\\"b\\\\c\\u000a\\u0001\"",
	    "JSON escapes quotes, backslashes and control characters");
	json_is("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
	    "JSON keeps UTF-8 of two, three and four bytes");
	json_is("\xff\xc3", "\"\\ufffd\\ufffd\"",
	    "JSON replaces stray and cut-off bytes");
	json_is("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80",
	    "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
	    "\\ufffd\"",
	    "JSON replaces overlong forms, surrogates and what is beyond");
	json_is("\xe0\x9f\xbf\xf0\x8f\xbf\xbf",
	    "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"",
	    "JSON replaces overlong forms of three and four bytes");
}

TEST(printable)
{
	char room[4];
	struct text small = text_in(room, sizeof room);

	printable_is("a\tb\x1b[1m\x7f", "a?b?[1m?", "control characters go");
	printable_is("\x9b"
	             "1m\x85",
	    "?1m?", "also raw ones of eight bits");
	printable_is(
	    "\xc2\x80|\xc2\x9b|\xc2\x9f", "?|?|?", "and U+0080 to U+009F");
	printable_is("\xc2\xa0\xc3\x9b\xe2\x82\xac\xf0\x9f\x98\x80",
	    "\xc2\xa0\xc3\x9b\xe2\x82\xac\xf0\x9f\x98\x80",
	    "other UTF-8 stays");
	printable_is("\xff|\xc3|\xe2\x82|\xc0\x9b", "?|?|??|??",
	    "a byte that is no UTF-8 does not");
	text_printable(&small, "ab\xe2\x82\xac");
	is_string(
	    room, "ab", "a character that does not fit is left out whole");
}

/* The regular expressions of people; in brackets "\\" stands for itself. */
TEST(regex_text)
{
	/* Other errors are left for regcomp(3) to refuse. */
	static const char *const rows[][2] = { { "", "" }, { "plain", "plain" },
		{ "\\d+", "[0-9]+" }, { "a\\Db", "a[^0-9]b" }, { "\\t", "\t" },
		{ "\\w\\W\\s\\S\\b\\B", "\\w\\W\\s\\S\\b\\B" },
		{ "\\.\\\\\\[\\(\\|\\-\\/\\<\\>",
		    "\\.\\\\\\[\\(\\|\\-\\/\\<\\>" },
		{ "\\\\d", "\\\\d" }, { "\\[\\d]", "\\[[0-9]]" },
		{ "[\\d]\\d", "[\\d][0-9]" }, { "[]\\d]\\d", "[]\\d][0-9]" },
		{ "[^]\\d]", "[^]\\d]" },
		{ "[[:alpha:]\\d]\\d", "[[:alpha:]\\d][0-9]" },
		{ "[[.].]\\d]\\d", "[[.].]\\d][0-9]" }, { "[\\q", "[\\q" },
		{ "\\", "\\" } };
	static const struct {
		const char *regex;
		int at;
	} refused[] = { { "\\q", 0 }, { "a\\\\\\n", 3 }, { "(a)\\1", 3 },
		{ "[\\1]\\9", 4 }, { "\\0", 0 }, { "\\Z", 0 } };

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		ok(regex_text(fresh(), rows[i][0]) == NULL, rows[i][0]);
		is_string(buffer, rows[i][1], rows[i][1]);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
		const char *regex = refused[i].regex;

		ok(regex_text(fresh(), regex) == regex + refused[i].at, regex);
	}
}

/* Which of WORDS is suggested for WORD; "": none. */
TEST(nearest)
{
	static const char shapes[] = "exponential binary linear quadratic "
	                             "cubic fibonacci constant";
	static const struct {
		const char *words, *word, *wanted;
	} rows[] = {
		{ shapes, "linaer", "linear" },
		{ shapes, "lineer", "linear" },
		{ shapes, "liner", "linear" },
		{ shapes, "linearr", "linear" },
		{ shapes, "LINEAR", "linear" },
		{ shapes, "exponetnial", "exponential" },
		{ shapes, "fibonaci", "fibonacci" },
		{ shapes, "expo", "exponential" },
		{ shapes, "cubci", "cubic" },
		{ shapes, "cub", "cubic" },

		/* One slip is too many for a short word, and three for any. */
		{ shapes, "cxbxc", "" },
		{ shapes, "lnxarx", "" },
		{ shapes, "abc", "" },
		{ shapes, "li", "" },
		{ shapes, "", "" },
		{ "x y", "x", "" },

		/* The nearest, and of two the first. */
		{ "timeouts timeout", "timeot", "timeout" },
		{ "tall toil", "tool", "toil" },
		{ "ab2 ab3", "ab1", "ab2" },

		/* Too long for a slip. */
		{ "abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwxyz",
		    "" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const char *word = rows[i].word;
		struct nearest nearest = nearest_to(word, strlen(word));
		char found[80] = "";

		nearest_offer(&nearest, rows[i].words);
		if (nearest.found != NULL)
			snprintf(found, sizeof found, "%.*s",
			    (int)nearest.found_length, nearest.found);
		is_string(found, rows[i].wanted, word);
	}
}
