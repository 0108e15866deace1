/* SPDX-License-Identifier: MIT */
/*
 * The output of an attempt. The first line is a REGEX, the rest is the
 * output: in pieces or at once, the same must be found in it, and what
 * regexec(3) finds without our filter in front.
 */
#include <config.h>

#include "core/judge/outcome.h"
#include "fuzz/fuzz.h"
#include "streams/streams.h"
#include "unit/by_regexec.h"

static struct scan scan;

static void
scan_output(
    struct scan_stream *stream, const char *bytes, size_t size, size_t piece)
{
	memset(stream, 0, sizeof *stream);
	stream->is_stderr = true;
	scan_reset(&scan);
	while (size > 0) {
		size_t most = size < piece ? size : piece;

		scan_bytes(&scan, stream, bytes, most);
		bytes += most;
		size -= most;
	}
	scan_finish(&scan, stream);
}

static void
require_quote(const struct quote *quote)
{
	fuzz_require(
	    quote->length <= SCAN_QUOTE && quote->text[quote->length] == '\0',
	    "a quote out of bounds");
}

static void
check(const char *bytes, size_t size, size_t piece)
{
	static struct scan_stream stream;
	const struct condition *condition = &scan.conditions[0];
	struct quote quote, last;
	enum stated stated;
	bool matched;

	scan_output(&stream, bytes, size, SIZE_MAX);
	matched = condition->matched;
	quote = condition->quote;
	last = scan.last_line;
	stated = waits_of(&scan.waits, WAIT_HEADER)->stated;
	require_quote(&quote);
	require_quote(&last);
	fuzz_require(matched
	        == any_line_matches(&condition->regex.compiled, bytes, size),
	    "the filter and regexec(3) differ");

	scan_output(&stream, bytes, size, piece);
	fuzz_require(condition->matched == matched, "in pieces, no match");
	fuzz_same(condition->quote.text, quote.text, "another quote");
	fuzz_same(scan.last_line.text, last.text, "another last line");
	fuzz_require(stated == waits_of(&scan.waits, WAIT_HEADER)->stated,
	    "another Retry-After");
}

static void
fuzz(char *string, size_t size)
{
	char *end = memchr(string, '\n', size);
	size_t length = end != NULL ? (size_t)(end - string) : size;

	memset(&scan, 0, sizeof scan);
	scan.waits.wanted = WANTED_ALL;
	if (end != NULL) {
		*end = '\0';
		if (fuzz_regex_is_modest(string)
		    && scan_add(&scan, VERDICT_STOP, string) == NULL) {
			size_t left = size - length - 1;

			check(end + 1, left, 1 + length % 7);
			regfree(&scan.conditions[0].regex.compiled);
		}
	}
}
