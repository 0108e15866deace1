/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "verdict.h"

enum verdict
verdict_of(const struct rules *rules, const struct outcome *outcome)
{
	enum verdict verdict = codes_match(&rules->codes, outcome);

	if (verdict != VERDICT_NONE)
		return verdict;
	return rules->listed_only ? VERDICT_STOP : VERDICT_RETRY;
}

const char *
verdict_name(enum verdict verdict)
{
	static const char names[VERDICTS][9]
	    = { "", "success", "pass", "retry", "throttle", "stop" };

	return names[verdict];
}
