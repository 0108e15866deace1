/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/loop/result.h"

const char *
result_name(enum result result)
{
	static const char names[][12] = { "", "success", "pass", "exhausted",
		"stopped", "deadline", "interrupted", "error", "deferred" };

	return names[result];
}

bool
verdict_is_good(enum verdict verdict)
{
	return verdict == VERDICT_SUCCESS || verdict == VERDICT_PASS;
}

bool
verdict_is_failure(enum verdict verdict)
{
	return verdict == VERDICT_RETRY || verdict == VERDICT_THROTTLE;
}

bool
result_is_flaky(const struct loop_state *state)
{
	return state->attempt > state->streak;
}

enum result
result_after_attempt(
    const struct limits *limits, const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;
	const struct stream_failure *failure = &outcome->evidence.failure;
	enum verdict verdict = state->verdict;
	int told = outcome_told(outcome);

	/* 1. backoff could not pass on input or output: not even a success. */
	if (failure->stream != NULL
	    && (failure->is_final || verdict_is_good(verdict)))
		return RESULT_ERROR;
	/* 2. Told to end before the output of a success was passed on. */
	if (failure->cut_off && told != 0 && verdict_is_good(verdict))
		return RESULT_INTERRUPTED;
	/* 3, 4. Success and pass count, whatever signal came meanwhile. */
	if (state->streak == limits->consecutive)
		return RESULT_SUCCESS;
	if (verdict == VERDICT_PASS)
		return RESULT_PASS;
	/* 5. Told to end, or COMMAND killed by a signal that was passed on. */
	if (told != 0 || outcome->by_forwarded)
		return RESULT_INTERRUPTED;
	/* 6. The deadline cut the attempt. */
	if (outcome->past_deadline)
		return RESULT_DEADLINE;
	/* 7. Retrying cannot help. */
	if (verdict == VERDICT_STOP)
		return RESULT_STOPPED;
	/* 8. That was the last attempt. */
	if (state->count >= limits->attempts)
		return RESULT_EXHAUSTED;
	/* 9. The input is lost, so another attempt could not read it. */
	if (outcome->evidence.input.lost)
		return RESULT_STOPPED;
	return RESULT_NONE;
}
