/* SPDX-License-Identifier: MIT */
/*
 * Bytes from outside, as the log shows them: printable text that cannot
 * control a terminal, cut text, and JSON strings.
 */
#include <config.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "fuzz/fuzz.h"

static void
require_printable(const char *string)
{
	size_t length;

	for (; *string != '\0'; string += length) {
		length = utf8_length(string);
		fuzz_require(length > 0, "not UTF-8");
		fuzz_require((unsigned char)*string >= ' ' && *string != 0x7f,
		    "a control character");
		fuzz_require(length != 2 || (unsigned char)string[0] != 0xc2
		        || (unsigned char)string[1] >= 0xa0,
		    "a control character of the second set");
	}
}

/* Of RFC 8259: "..." with escapes. */
static void
require_json(const char *string)
{
	size_t length = strlen(string);

	fuzz_require(
	    length >= 2 && string[0] == '"' && string[length - 1] == '"',
	    "a JSON string without its quotes");
	for (const char *at = string + 1; at < string + length - 1; at++) {
		fuzz_require(utf8_length(at) > 0, "JSON that is not UTF-8");
		fuzz_require((unsigned char)*at >= ' ' && *at != '"',
		    "JSON that is not escaped");
		if (*at == '\\') {
			at++;
			fuzz_require(*at != '\0'
			        && strchr("\"\\/bfnrtu", *at) != NULL
			        && at < string + length - 1,
			    "an escape that there is not");
			if (*at == 'u') {
				fuzz_require(strspn(at + 1,
				                 "0123456789abcdef"
				                 "ABCDEF")
				        >= 4,
				    "an escape without four digits");
				at += 4;
			}
			continue;
		}
		at += utf8_length(at) - 1;
	}
}

static void
fuzz(char *string, size_t size)
{
	size_t room = 6 * size + 7;
	char *one = malloc(room), *two = malloc(room);
	struct text text = text_in(one, room), again = text_in(two, room);

	text_printable(&text, string);
	require_printable(one);
	text_printable(&again, one);
	fuzz_same(one, two, "printed twice, it is another text");

	text = text_in(one, room);
	again = text_in(two, room);
	text_bounded(&text, "", string, "");
	require_printable(one);
	fuzz_require(text.length <= TEXT_BOUND, "text out of bounds");
	text_bounded(&again, "", one, "");
	fuzz_same(one, two, "cut twice, it is another text");

	text = text_in(one, room);
	json_member_string(&text, "", string);
	require_json(one + strlen(",\"\":"));
	free(one);
	free(two);
}
