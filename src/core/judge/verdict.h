/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_JUDGE_VERDICT_H
#define BACKOFF_CORE_JUDGE_VERDICT_H
/*
 * The verdict on the outcome of an attempt.
 */

#include <stdbool.h>

#include "core/judge/exit_codes.h"

struct rules {
	struct codes codes;
	const char *tool; /* name of the tool whose table applies, or NULL */
	bool tool_asked; /* --tool was given */
	bool listed_only; /* an outcome that nothing matches is a stop */
	bool match_needed; /* exit 0 is a success only if a line matches */
};

/* A verdict, and the rule that decided it. */
struct decision {
	enum verdict verdict;
	enum rule rule;
};

struct decision verdict_of(
    const struct rules *rules, const struct outcome *outcome);

/* A success or a pass: COMMAND has done its work. */
bool verdict_is_good(enum verdict verdict);

/* It is tried again, unless something else ends the loop. */
bool verdict_is_failure(enum verdict verdict);

/* "success", "retry" ...; "" for VERDICT_NONE. */
const char *verdict_name(enum verdict verdict);

#endif
