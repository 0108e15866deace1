/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/judge/verdict.h"

/* Whether CODES list anything to retry: --retry-on was given. */
static bool
has_retry_list(const struct codes *codes)
{
	/* All of it are verdicts, each in a byte. */
	return memchr(codes, VERDICT_RETRY, sizeof *codes) != NULL;
}

/* The decision if CODES gave this VERDICT. */
static struct decision
by_codes(enum verdict verdict, bool by_default)
{
	struct decision decision = { verdict, RULE_CODES };

	if (by_default)
		decision.rule = RULE_DEFAULT;
	else if (verdict == VERDICT_STOP)
		decision.rule = RULE_STOP_ON;
	else if (verdict == VERDICT_SUCCESS)
		decision.rule = RULE_SUCCESS_ON;
	return decision;
}

struct decision
verdict_of(const struct rules *rules, const struct outcome *outcome)
{
	const struct evidence *evidence = &outcome->evidence;
	bool by_default;
	enum verdict verdict = codes_match(&rules->codes, outcome, &by_default);

	/* A process still runs: neither a success, nor room for an attempt. */
	if (outcome->kind == OUTCOME_TIMED_OUT && outcome->unended.pid != 0)
		return (struct decision) { VERDICT_STOP, RULE_DEFAULT };
	if (evidence->hint.verdict != VERDICT_NONE)
		return (struct decision) { evidence->hint.verdict, RULE_HINT };
	if (evidence->match.verdict != VERDICT_NONE)
		return (
		    struct decision) { evidence->match.verdict, RULE_MATCH };
	if (rules->match_needed && by_default && verdict == VERDICT_SUCCESS)
		return (struct decision) { VERDICT_RETRY, RULE_NO_MATCH };
	/* After exit 0 the default gives way to a message of the tool. */
	if (verdict != VERDICT_NONE
	    && !(by_default && evidence->tool.verdict != VERDICT_NONE))
		return by_codes(verdict, by_default);
	if (evidence->tool.verdict != VERDICT_NONE)
		return (struct decision) { evidence->tool.verdict, RULE_TOOL };
	if (!rules->listed_only)
		return (struct decision) { VERDICT_RETRY, RULE_DEFAULT };
	return (struct decision) { VERDICT_STOP,
		has_retry_list(&rules->codes) ? RULE_UNLISTED
		                              : RULE_UNMATCHED };
}

const char *
verdict_name(enum verdict verdict)
{
	static const char names[VERDICTS][9]
	    = { "", "success", "pass", "retry", "throttle", "stop" };

	return names[verdict];
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
