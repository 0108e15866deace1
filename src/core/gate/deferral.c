/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/gate/gate.h"

int64_t
deferral_wait(struct deferral *deferral, int64_t high_ns, int64_t epoch_ns)
{
	int64_t most_ns = min_ns(deferral->window_ns, high_ns);

	if (deferral->failures == 0 || deferral->until_ns <= epoch_ns)
		return 0;
	deferral->until_ns
	    = min_ns(deferral->until_ns, saturating_add(epoch_ns, most_ns));
	return deferral->until_ns - epoch_ns;
}

bool
deferral_gave_up(enum result result)
{
	return result == RESULT_EXHAUSTED || result == RESULT_STOPPED
	    || result == RESULT_DEADLINE;
}

static void
put_off(struct deferral *deferral, struct range limits,
    const struct run_end *end, struct random *random)
{
	struct text text = text_in(deferral->reason, DEFERRAL_REASON_SIZE);
	int64_t until_ns, least_ns = 0;

	/* It began before the last one gave up: one outage has met both. */
	if (deferral->failures > 0 && end->began_ns < deferral->last_ns
	    && deferral->last_ns <= end->ended_ns) {
		least_ns = deferral->until_ns;
	} else {
		deferral->failures += deferral->failures < UINT32_MAX;
		deferral->last_ns = end->ended_ns;
	}
	deferral->window_ns = limits.high_ns;
	/* After 63 doublings it has met any limit. */
	if (deferral->failures < 64)
		deferral->window_ns = min_ns(limits.high_ns,
		    saturating_multiply(
		        limits.low_ns, INT64_C(1) << (deferral->failures - 1)));
	until_ns = saturating_add(end->ended_ns,
	    random_between(random,
	        deferral->window_ns - deferral->window_ns / 2,
	        deferral->window_ns));
	deferral->until_ns = max_ns(until_ns, least_ns);
	deferral->status = (uint8_t)end->status;
	text_printable(&text, end->reason);
}

void
deferral_end(struct deferral *deferral, struct range limits,
    const struct run_end *end, struct random *random)
{
	if (verdict_is_failure(end->verdict))
		put_off(deferral, limits, end, random);
	else if (end->verdict != VERDICT_NONE)
		*deferral = (struct deferral) { .runs = deferral->runs,
			.since_ns = deferral->since_ns };
	if (!deferral_gave_up(end->result)) {
		deferral->runs = 0;
	} else {
		if (deferral->runs == 0)
			deferral->since_ns = end->ended_ns;
		deferral->runs += deferral->runs < UINT32_MAX;
	}
}
