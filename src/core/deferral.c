/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/deferral.h"
#include "core/duration.h"

enum deferral_event
deferral_event(enum result result, enum verdict verdict)
{
	/* Who was told to end has not given up, and we may be at fault. */
	if (result == RESULT_INTERRUPTED || result == RESULT_ERROR
	    || result == RESULT_DEFERRED)
		return DEFERRAL_NONE;
	switch (verdict) {
	case VERDICT_RETRY:
	case VERDICT_THROTTLE:
		return DEFERRAL_COUNT;
	case VERDICT_SUCCESS:
	case VERDICT_PASS:
	case VERDICT_STOP:
		return DEFERRAL_FORGET;
	case VERDICT_NONE:
		break;
	}
	return DEFERRAL_NONE;
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
deferral_wait(struct deferral *deferral, int64_t epoch_ns, bool *changed)
{
	*changed = false;
	if (deferral->failures == 0 || deferral->until_ns <= epoch_ns)
		return 0;
	if (deferral->until_ns - epoch_ns > deferral->window_ns) {
		deferral->until_ns
		    = saturating_add(epoch_ns, deferral->window_ns);
		*changed = true;
	}
	return deferral->until_ns - epoch_ns;
}

void
deferral_count(struct deferral *deferral, struct range limits, int64_t epoch_ns,
    int64_t drawn_ns, int status, const char *reason)
{
	struct text text = text_in(deferral->reason, sizeof deferral->reason);

	if (deferral->failures < UINT32_MAX)
		deferral->failures++;
	deferral->window_ns = deferral_window(limits, deferral->failures);
	deferral->until_ns = saturating_add(epoch_ns, drawn_ns);
	deferral->status = (uint8_t)status;
	memset(deferral->reason, 0, sizeof deferral->reason);
	text_printable(&text, reason);
}
