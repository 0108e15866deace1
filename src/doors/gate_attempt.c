/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/loop/result.h"
#include "core/words/reason.h"
#include "doors/gate_attempt.h"
#include "process/clock.h"
#include "shared/state_file.h"

/* What the gate makes of an outcome. */
static enum gate_outcome
news_of(const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;

	if (verdict_is_good(state->verdict))
		return GATE_ENDED_WELL;
	if ((state->verdict != VERDICT_RETRY
	        && state->verdict != VERDICT_THROTTLE)
	    || outcome->kind == OUTCOME_NOT_STARTED
	    || outcome_told(outcome) != 0 || outcome->by_forwarded)
		return GATE_NO_NEWS;
	return GATE_FAILED;
}

struct gate_attempt
gate_attempt_of(const struct loop_state *state, const struct settings *settings,
    struct random *random, char *words)
{
	const struct outcome *outcome = &state->outcome;
	const struct hint *hint = &outcome->evidence.hint;
	int64_t ahead_ns = boottime_ns() - clock_now_ns();
	struct gate_attempt attempt = {
		.outcome = news_of(state),
		.began_ns = outcome->started_ns + ahead_ns,
		.ended_ns = outcome->ended_ns + ahead_ns,
		.reason = words,
	};
	struct text reason = text_in(words, REASON_SIZE);

	reason_without_line(&reason, outcome);
	if (attempt.outcome == GATE_FAILED && hint->has_wait
	    && hint->wait_ns > 0
	    && hint->wait_ns <= settings->limits.hint_max_ns)
		attempt.hint_ns = saturating_add(attempt.ended_ns,
		    random_between(random, hint->wait_ns,
		        saturating_add(
		            hint->wait_ns, settings->policy.base_ns)));
	return attempt;
}
