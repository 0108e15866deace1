/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/text.h"
#include "unit/fresh.h"
#include "unit/tap.h"

static void
becomes(const char *regex, const char *wanted)
{
	ok(regex_text(fresh(), regex) == NULL, regex);
	is_string(buffer, wanted, wanted);
}

static void
is_refused_at(const char *regex, size_t offset)
{
	const char *at = regex_text(fresh(), regex);

	ok(at != NULL, regex);
	is_int(at - regex, (int64_t)offset, "at the escape");
}

TESTS
{
	becomes("", "");
	becomes("plain", "plain");
	becomes("\\d+", "[0-9]+");
	becomes("a\\Db", "a[^0-9]b");
	becomes("\\t", "\t");
	becomes("\\w\\W\\s\\S\\b\\B", "\\w\\W\\s\\S\\b\\B");
	becomes("\\.\\\\\\[\\(\\|\\-\\/\\<\\>", "\\.\\\\\\[\\(\\|\\-\\/\\<\\>");
	becomes("\\\\d", "\\\\d");
	becomes("\\[\\d]", "\\[[0-9]]");
	/* In brackets a backslash stands for itself. */
	becomes("[\\d]\\d", "[\\d][0-9]");
	becomes("[]\\d]\\d", "[]\\d][0-9]");
	becomes("[^]\\d]", "[^]\\d]");
	becomes("[[:alpha:]\\d]\\d", "[[:alpha:]\\d][0-9]");
	becomes("[[.].]\\d]\\d", "[[.].]\\d][0-9]");
	/* Other errors are left for regcomp(3) to refuse. */
	becomes("[\\q", "[\\q");
	becomes("\\", "\\");

	is_refused_at("\\q", 0);
	is_refused_at("a\\\\\\n", 3);
	is_refused_at("(a)\\1", 3);
	is_refused_at("[\\1]\\9", 4);
	is_refused_at("\\0", 0);
	is_refused_at("\\Z", 0);
}
