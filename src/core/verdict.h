/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_VERDICT_H
#define BACKOFF_CORE_VERDICT_H
/*
 * What an attempt's end means.
 */

#include <stdbool.h>

#include "core/exit_codes.h"

struct rules {
	struct codes codes;
	const char *tool; /* the name of what is known of COMMAND, or NULL */
	bool tool_asked; /* --tool was given */
	bool listed_only; /* what nothing matches stops */
	bool match_needed; /* exit 0 is a success only where a line says so */
};

/* A verdict, and what it goes back to. */
struct decision {
	enum verdict verdict;
	enum rule rule;
};

struct decision verdict_of(
    const struct rules *rules, const struct outcome *outcome);

/* "success", "retry" ...; "" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
