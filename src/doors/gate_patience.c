/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "doors/gate_patience.h"
#include "process/clock.h"

int64_t
gate_patience_end(
    const struct gate_keeper *keeper, const struct gate_patience *patience)
{
	int64_t stated_ns
	    = max_ns(keeper->seen.stated_ns - patience->stated_ns, 0);

	return saturating_add(
	    patience->began_ns, saturating_add(patience->left_ns, stated_ns));
}

bool
gate_patience_lasts(struct gate_keeper *keeper,
    const struct gate_patience *patience, int64_t until_ns)
{
	int64_t now_ns;

	return clock_now_ns() < until_ns && gate_keeper_has_file(keeper)
	    && gate_file_read(&keeper->file, &keeper->seen, &now_ns)
	    && clock_now_ns() < gate_patience_end(keeper, patience);
}
