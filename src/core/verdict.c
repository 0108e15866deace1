/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/verdict.h"

enum verdict
verdict_of(const struct rules *rules, const struct outcome *outcome)
{
	enum verdict verdict = codes_match(&rules->codes, outcome);

	/* No further attempt beside it, and no success while it goes on. */
	if (outcome->kind == OUTCOME_TIMED_OUT && outcome->unended.pid != 0)
		return VERDICT_STOP;
	if (outcome->evidence.hint.verdict != VERDICT_NONE)
		return outcome->evidence.hint.verdict;
	if (outcome->evidence.match.verdict != VERDICT_NONE)
		return outcome->evidence.match.verdict;
	if (rules->match_needed && outcome->kind == OUTCOME_EXITED
	    && outcome->status == 0 && rules->codes.exact[0] == VERDICT_NONE)
		return VERDICT_RETRY;
	if (verdict != VERDICT_NONE)
		return verdict;
	if (outcome->evidence.tool.verdict != VERDICT_NONE)
		return outcome->evidence.tool.verdict;
	return rules->listed_only ? VERDICT_STOP : VERDICT_RETRY;
}

const char *
verdict_name(enum verdict verdict)
{
	static const char names[VERDICTS][9]
	    = { "", "success", "pass", "retry", "throttle", "stop" };

	return names[verdict];
}
