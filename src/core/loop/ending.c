/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/loop/ending.h"
#include "core/loop/result.h"

void
ending_set(struct ending *ending, enum result result, int status)
{
	ending->result = result;
	ending->status = status;
}

void
ending_give_up(
    struct ending *ending, enum result result, const struct outcome *outcome)
{
	int status = outcome_status(outcome);

	if (outcome->kind == OUTCOME_KILLED)
		ending->signal = outcome->signal;
	ending_set(ending, result, status == 0 ? 1 : status);
}

void
ending_put_off(struct ending *ending, const struct loop_state *state,
    const char *closing, const char *reason)
{
	ending->closing = closing;
	ending->closing_reason = reason;
	if (state->verdict == VERDICT_NONE)
		ending_set(ending, RESULT_DEFERRED, STATUS_DEFERRED);
	else
		ending_give_up(ending, RESULT_DEADLINE, &state->outcome);
}

void
ending_interrupt(struct ending *ending, int told)
{
	ending->interrupted_by = ending->signal = told;
	ending_set(ending, RESULT_INTERRUPTED, STATUS_SIGNAL + ending->signal);
}

void
ending_fail(struct ending *ending, const char *broken, int error, int signal)
{
	ending->broken = broken;
	ending->error = error;
	ending->signal = signal;
	ending_set(ending, RESULT_ERROR,
	    signal != 0 ? STATUS_SIGNAL + signal : STATUS_ERROR);
}

void
ending_after_attempt(struct ending *ending, enum result result,
    const struct loop_state *state, const struct limits *limits, int told)
{
	const struct outcome *outcome = &state->outcome;
	const struct stream_failure *failure = &outcome->evidence.failure;

	switch (result) {
	case RESULT_NONE:
	case RESULT_DEFERRED:
		break;
	case RESULT_ERROR:
		ending_fail(
		    ending, failure->stream, failure->error, failure->signal);
		break;
	case RESULT_SUCCESS:
		ending_set(ending, result,
		    result_is_flaky(state) ? (int)limits->flaky_status : 0);
		break;
	case RESULT_PASS:
		ending_set(ending, result, outcome_status(outcome));
		if (outcome->kind == OUTCOME_KILLED)
			ending->signal = outcome->signal;
		break;
	case RESULT_INTERRUPTED:
		/* As in a pause: backoff dies by the signal itself. */
		if (outcome->late_end_signal != 0
		    || (failure->cut_off && verdict_is_good(state->verdict))) {
			ending_interrupt(ending, told);
			break;
		}
		ending->interrupted_by = told != 0 ? told : outcome->signal;
		ending_give_up(ending, result, outcome);
		break;
	case RESULT_STOPPED:
		ending->input_lost = state->verdict != VERDICT_STOP;
		ending_give_up(ending, result, outcome);
		break;
	case RESULT_EXHAUSTED:
	case RESULT_DEADLINE:
		ending_give_up(ending, result, outcome);
		break;
	}
}
