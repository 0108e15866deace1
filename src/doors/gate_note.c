/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/gate/gate.h"
#include "doors/gate_news.h"
#include "doors/gate_note.h"

bool
gate_note(struct gate_keeper *keeper, const struct loop_state *state,
    struct gate_attempt *attempt, bool is_probe, struct gate_record *after)
{
	struct fleet_news news;

	if (!gate_keeper_note(keeper, attempt, is_probe, &news))
		return false;
	gate_news_hold();
	if (news.is_lost)
		gate_news_tell(GATE_NEWS_LOST, &news.before);
	gate_news_change(&news.before, &news.after, news.now_ns,
	    state->outcome.evidence.hint.wait_ns, is_probe);
	*after = news.after;
	return true;
}

bool
gate_note_is_needless(struct gate_keeper *keeper)
{
	int64_t now_ns;

	if (gate_keeper_has_file(keeper)
	    && !gate_file_read(&keeper->file, &keeper->seen, &now_ns))
		return false;
	return keeper->seen.state == GATE_OPEN && keeper->seen.failures == 0;
}
