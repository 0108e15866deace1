/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/text.h"
#include "options/other_tools.h"

/* clang-format off */
/*
 * Names, separated by blanks, and what to say of them, by turns. (As one string
 * it needs no pointers.)
 */
static const char table[] =
    "retries retry tries times count max-attempts max-retries max-tries\0"
    "use --attempts, which counts the first run too\0"
    "forever\0"
    "use --attempts=inf; --attempts counts the first run too\0"
    "delay sleep wait interval\0"
    "use --base for the first pause, or --delays for a list\0"
    "retry-delay\0"
    "use --base for the first pause\0"
    "min\0"
    "use --base for the first pause, --floor for the shortest\0"
    "min-delay\0"
    "use --floor\0"
    "max\0"
    "use --cap for the longest pause\0"
    "max-delay\0"
    "use --cap\0"
    "max-time\0"
    "use --deadline for everything, --timeout for an attempt\0"
    "max-elapsed retry-max-time\0"
    "use --deadline\0"
    "task-time\0"
    "use --timeout\0"
    "backoff\0"
    "use --growth and --factor\0"
    "multiplier exponent\0"
    "use --factor\0"
    "random randomize\0"
    "use --jitter\0"
    "on-retry\0"
    "use --before-retry\0"
    "fail\0"
    "use --at-end\0"
    "log\0"
    "use --log-file\0"
    "json\0"
    "use --log-format=json\0";
/* clang-format on */

/* What is said of the names at NAMES; the next ones stand behind it. */
static const char *
ours(const char *names)
{
	return names + strlen(names) + 1;
}

const char *
other_tools_option(const char *name, size_t length)
{
	for (const char *at = table; *at != '\0'; at = ours(ours(at)))
		if (words_have(at, name, length))
			return ours(at);
	return NULL;
}

void
other_tools_offer(struct nearest *nearest)
{
	for (const char *at = table; *at != '\0'; at = ours(ours(at)))
		nearest_offer_words(nearest, at);
}
