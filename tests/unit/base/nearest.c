/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/words.h"
#include "unit/tap.h"

/* Checks which of WORDS is suggested for WORD; "": none. */
static void
meant(const char *word, const char *words, const char *wanted)
{
	char room[80], what[80];
	struct text text = text_in(room, sizeof room);
	struct nearest nearest = nearest_to(word, strlen(word));

	nearest_offer_words(&nearest, words);
	if (nearest_ask(&nearest, &text, "--"))
		snprintf(what, sizeof what, "did you mean --%s?", wanted);
	else
		what[0] = '\0';
	is_string(room, what, word);
	ok((nearest.found == NULL) == (*wanted == '\0'), "found or not");
}

TESTS
{
	static const char shapes[] = "exponential binary linear quadratic "
	                             "cubic fibonacci constant";

	meant("linaer", shapes, "linear");
	meant("lineer", shapes, "linear");
	meant("liner", shapes, "linear");
	meant("linearr", shapes, "linear");
	meant("LINEAR", shapes, "linear");
	meant("exponetnial", shapes, "exponential");
	meant("fibonaci", shapes, "fibonacci");
	meant("expo", shapes, "exponential");
	meant("cubci", shapes, "cubic");
	meant("cub", shapes, "cubic");

	/* One slip is too many for a short word, and three for any. */
	meant("cxbxc", shapes, "");
	meant("lnxarx", shapes, "");
	meant("abc", shapes, "");
	meant("li", shapes, "");
	meant("", shapes, "");
	meant("x", "x y", "");

	/* The nearest, and of two the first. */
	meant("timeot", "timeouts timeout", "timeout");
	meant("tool", "tall toil", "toil");
	meant("ab1", "ab2 ab3", "ab2");

	/* Too long for a slip. */
	meant("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxy", "");
	meant("abcdefgh", "abcdefghijklmnopqrstuvwxyz", "");
}
