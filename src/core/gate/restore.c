/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "core/gate/gate.h"
#include "core/gate/restore.h"

/*
 * Where nobody has probed for so long after that was due, the gate has opened
 * since, or nobody wants anything: what was known is as stale then as a failure
 * that the next one is not in a row with.
 */
#define STALE_NS (5 * NS_PER_MIN)

/* Two machines read the server's clock at times that differ by less. */
#define TOLERANCE_NS NS_PER_S

static int64_t
news_of(const struct gate_record *record)
{
	return max_ns(max_ns(record->since_ns, record->news_ns),
	    max_ns(record->probe_ns, record->last_failure_ns));
}

/* Until when it holds anybody. */
static int64_t
holds_until(const struct gate_record *record)
{
	switch (record->state) {
	case GATE_SHUT:
		return record->due_ns;
	case GATE_PROBING:
		return gate_overdue_ns(record);
	case GATE_RAMP:
		return record->release_ns;
	case GATE_OPEN:
		break;
	}
	return 0;
}

bool
gate_restore(struct gate_record *record, bool is_there,
    const struct gate_record *mirror, uint32_t turn, int64_t now_ns)
{
	int64_t news_ns = news_of(mirror);

	if (!mirror->is_copy || news_ns == 0 || now_ns - news_ns > GATE_KEPT_NS)
		return false;
	if (is_there) {
		/* What the fleet has learned since is never undone. */
		if (!record->is_copy
		    || news_ns <= saturating_add(news_of(record), TOLERANCE_NS))
			return false;
	} else if (now_ns > saturating_add(holds_until(mirror), STALE_NS)) {
		return false;
	}
	*record = *mirror;
	/* Who probes goes on. */
	if (turn != 0)
		record->turn = turn;
	return true;
}
