/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "options/other_tools.h"

static const struct {
	const char *names; /* separated by blanks */
	const char *ours;
} table[] = {
	{ "retries retry tries times count max-attempts max-retries max-tries",
	    "use --attempts, which counts the first run too" },
	{ "forever",
	    "use --attempts=inf; --attempts counts the first run too" },
	{ "delay sleep wait interval",
	    "use --base for the first pause, or --delays for a list" },
	{ "retry-delay", "use --base for the first pause" },
	{ "min", "use --base for the first pause, --floor for the shortest" },
	{ "min-delay", "use --floor" },
	{ "max", "use --cap for the longest pause" },
	{ "max-delay", "use --cap" },
	{ "max-time",
	    "use --deadline for everything, --timeout for an attempt" },
	{ "max-elapsed retry-max-time", "use --deadline" },
	{ "task-time", "use --timeout" },
	{ "backoff", "use --growth and --factor" },
	{ "multiplier exponent", "use --factor" },
	{ "random randomize", "use --jitter" },
	{ "on-retry", "use --before-retry" },
	{ "fail", "use --at-end" },
	{ "log", "use --log-file" },
	{ "json", "use --log-format=json" },
};

const char *
other_tools_option(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		if (words_have(table[i].names, name, length))
			return table[i].ours;
	return NULL;
}

void
other_tools_offer(struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		nearest_offer_words(nearest, table[i].names);
}
