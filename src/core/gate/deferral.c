/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/gate/deferral.h"
#include "core/loop/result.h"

enum deferral_event
deferral_event(enum result result, enum verdict verdict)
{
	/* Who was told to end has not given up, and we may be at fault. */
	if (result == RESULT_INTERRUPTED || result == RESULT_ERROR
	    || result == RESULT_DEFERRED)
		return DEFERRAL_NONE;
	if (verdict == VERDICT_NONE)
		return DEFERRAL_NONE;
	return verdict_is_failure(verdict) ? DEFERRAL_COUNT : DEFERRAL_FORGET;
}

bool
deferral_gave_up(enum result result)
{
	return result == RESULT_EXHAUSTED || result == RESULT_STOPPED
	    || result == RESULT_DEADLINE;
}

void
deferral_add_run(struct deferral *deferral, int64_t epoch_ns)
{
	if (deferral->runs == 0)
		deferral->since_ns = epoch_ns;
	if (deferral->runs < UINT32_MAX)
		deferral->runs++;
}

void
deferral_forget_failures(struct deferral *deferral)
{
	*deferral = (struct deferral) {
		.runs = deferral->runs,
		.since_ns = deferral->since_ns,
	};
}

int64_t
deferral_window(struct range limits, uint32_t failures)
{
	int64_t window_ns = limits.low_ns;

	/* After 63 doublings it has met any limit. */
	for (uint32_t n = 1; n < failures && n < 64; n++)
		window_ns = saturating_add(window_ns, window_ns);
	return min_ns(window_ns, limits.high_ns);
}

int64_t
deferral_wait(
    struct deferral *deferral, int64_t high_ns, int64_t epoch_ns, bool *changed)
{
	int64_t most_ns = min_ns(deferral->window_ns, high_ns);

	*changed = false;
	if (deferral->failures == 0 || deferral->until_ns <= epoch_ns)
		return 0;
	if (deferral->until_ns - epoch_ns > most_ns) {
		deferral->until_ns = saturating_add(epoch_ns, most_ns);
		*changed = true;
	}
	return deferral->until_ns - epoch_ns;
}

/* It began before the last one gave up: one outage has met both. */
static bool
overlaps(const struct deferral *deferral, int64_t began_ns, int64_t epoch_ns)
{
	return deferral->failures > 0 && began_ns < deferral->last_ns
	    && deferral->last_ns <= epoch_ns;
}

uint32_t
deferral_failures(
    const struct deferral *deferral, int64_t began_ns, int64_t epoch_ns)
{
	return deferral->failures
	    + (deferral->failures < UINT32_MAX
	        && !overlaps(deferral, began_ns, epoch_ns));
}

void
deferral_count(struct deferral *deferral, struct range limits, int64_t began_ns,
    int64_t epoch_ns, int64_t drawn_ns, int status, const char *reason)
{
	int64_t until_ns = saturating_add(epoch_ns, drawn_ns);
	struct text text = text_in(deferral->reason, sizeof deferral->reason);

	if (overlaps(deferral, began_ns, epoch_ns)) {
		until_ns = max_ns(until_ns, deferral->until_ns);
	} else {
		deferral->failures
		    = deferral_failures(deferral, began_ns, epoch_ns);
		deferral->last_ns = epoch_ns;
	}
	deferral->window_ns = deferral_window(limits, deferral->failures);
	deferral->until_ns = until_ns;
	deferral->status = (uint8_t)status;
	memset(deferral->reason, 0, sizeof deferral->reason);
	text_printable(&text, reason);
}
