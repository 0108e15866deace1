/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/base/duration.h"
#include "core/judge/outcome.h"

/* Rule 55: whether what is lacking now may be there a moment later. */
static bool
passes(int error)
{
	switch (error) {
	case EAGAIN:
	case ENOMEM:
	case ETXTBSY:
	case EMFILE:
	case ENFILE:
	case EIO:
	case ESTALE:
	case ETIMEDOUT:
	case EINTR:
		return true;
	default:
		return false;
	}
}

struct outcome
outcome_not_started(int error)
{
	return (struct outcome) {
		.kind = OUTCOME_NOT_STARTED,
		.status
		= error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN,
		.error = error,
		.lasting = !passes(error),
	};
}

struct outcome
outcome_of_wait(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		return (struct outcome) {
			.kind = OUTCOME_KILLED,
			.status = -1,
			.signal = WTERMSIG(wait_status),
		};
	return (struct outcome) {
		.kind = OUTCOME_EXITED,
		.status = WEXITSTATUS(wait_status),
	};
}

int
outcome_status(const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_TIMED_OUT:
		return STATUS_TIMED_OUT;
	case OUTCOME_KILLED:
		return STATUS_SIGNAL + outcome->signal;
	case OUTCOME_EXITED:
	case OUTCOME_NOT_STARTED:
		break;
	}
	return outcome->status;
}

int
outcome_end_signal(const struct outcome *outcome)
{
	return outcome->late_end_signal != 0 ? outcome->late_end_signal
	                                     : outcome->end_signal;
}

void
signal_set_add(struct signal_set *set, int signal)
{
	set->words[(signal - 1) / 64] |= UINT64_C(1) << (signal - 1) % 64;
}

bool
signal_set_has(const struct signal_set *set, int signal)
{
	return (set->words[(signal - 1) / 64] >> (signal - 1) % 64 & 1) != 0;
}

void
outcome_note_limit(struct outcome *outcome, int64_t now_ns,
    const struct attempt_limits *limits)
{
	if (outcome->kind != OUTCOME_TIMED_OUT)
		return;
	if (outcome->was_silent) {
		outcome->limit_ns = limits->silence_ns;
	} else if (outcome->unended.pid == 0
	    || outcome->ended_ns >= limits->cutoff_ns) {
		outcome->limit_ns = limits->cutoff_ns - now_ns;
		outcome->past_deadline = limits->by_deadline;
	}
}

void
outcome_forget_stated(struct hint *hint)
{
	hint->stated = STATED_UNWANTED;
	if (hint->by_output)
		hint->has_wait = false;
	if (!hint->unread_in_file)
		hint->unread = NULL;
}
