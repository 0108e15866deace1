/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <unistd.h>

#include "core/base/duration.h"
#include "core/loop/result.h"
#include "core/words/reason.h"
#include "doors/fleet_gate.h"
#include "doors/gate_keeper.h"
#include "doors/turn_news.h"
#include "doors/turn.h"
#include "shared/fleet.h"
#include "system/boot.h"
#include "system/clock.h"

#define LOOK_NS (15 * NS_PER_S)

bool
gate_keeper_has_file(const struct gate_keeper *keeper)
{
	return keeper->file.part.file.fd >= 0;
}

/* Of the gate, and not of the slots alone. */
bool
gate_keeper_has_fleet(const struct gate_keeper *keeper)
{
	return keeper->is_of_fleet && fleet_is_on();
}

bool
gate_keeper_is_there(const struct gate_keeper *keeper)
{
	return gate_keeper_has_file(keeper) || gate_keeper_has_fleet(keeper);
}

bool
gate_keeper_ask(struct gate_keeper *keeper, struct gate_decision *decision)
{
	struct gate_file *file = &keeper->file;
	struct gate_record *seen = &keeper->seen;
	int64_t now_ns;

	if (!gate_keeper_has_file(keeper)) {
		*decision = (struct gate_decision) { .kind = GATE_START };
		*seen = gate_record_new();
		return true;
	}
	if (!gate_file_read(file, seen, &now_ns))
		return false;
	/* Who waits on other machines is not known. */
	keeper->run.alone = seen->state == GATE_RAMP
	    && !gate_keeper_has_fleet(keeper)
	    && turn_is_alone(file, &keeper->run);
	*decision = gate_ask(seen, now_ns, &keeper->run);
	if (!decision->changed)
		return true;
	if (!gate_file_lock(file, seen, &now_ns))
		return false;
	*decision = gate_ask(seen, now_ns, &keeper->run);
	return gate_file_finish(file, seen, decision->changed);
}

void
gate_keeper_look(struct gate_keeper *keeper, struct gate_decision *decision)
{
	if (gate_keeper_has_fleet(keeper))
		fleet_gate_ask(keeper, FLEET_LOOK, decision);
}

bool
gate_keeper_ask_in_turn(struct gate_keeper *keeper,
    struct gate_decision *decision, int64_t limit_ns, int *signal)
{
	struct gate_record *seen = &keeper->seen;
	bool done;

	*signal = 0;
	if (!gate_keeper_has_fleet(keeper)
	    || (gate_keeper_has_file(keeper) && keeper->run.turn == 0))
		return gate_keeper_ask(keeper, decision);
	done = decision->kind == GATE_QUEUE
	    ? fleet_gate_await(keeper, limit_ns, decision, signal)
	    : fleet_gate_ask(keeper, FLEET_TURN, decision);
	if (!done && !gate_keeper_ask(keeper, decision))
		return false;
	if (keeper->has_to_tell
	    && (decision->kind == GATE_WAIT || decision->kind == GATE_QUEUE)) {
		keeper->has_to_tell = false;
		turn_news_wait(seen, true);
	}
	return true;
}

bool
gate_keeper_ask_at_once(
    struct gate_keeper *keeper, struct gate_decision *decision)
{
	int signal;

	*decision = (struct gate_decision) { .kind = GATE_NOTHING };
	if (!gate_needs_no_wait(&keeper->seen, boot_clock_ns())
	    || (gate_keeper_has_file(keeper)
	        && !turn_try(&keeper->file, &keeper->run, keeper->seen.turn)))
		return false;
	if (gate_keeper_ask_in_turn(keeper, decision, clock_now_ns(), &signal)
	    && (decision->kind == GATE_START || decision->kind == GATE_PROBE))
		return true;
	gate_keeper_give_up(keeper);
	return false;
}

/*
 * Somebody may open the gate by hand long before the probe is due. Here that
 * is seen by the file; the fleet's server, and a file that cannot be watched,
 * are asked now and then.
 */
int
gate_keeper_sleep(struct gate_keeper *keeper, int64_t until_ns)
{
	int64_t step_ns = clock_now_ns() + LOOK_NS;
	int watch, signal;

	if (until_ns <= step_ns)
		return turn_news_count(&keeper->seen, until_ns);
	watch = gate_keeper_has_fleet(keeper)
	    ? -1
	    : gate_file_watch(&keeper->file, &keeper->seen);
	if (watch < 0)
		return turn_news_count(&keeper->seen, step_ns);
	signal = turn_news_count_for(&keeper->seen, until_ns, watch);
	close(watch);
	return signal;
}

void
gate_keeper_give_up(struct gate_keeper *keeper)
{
	turn_give_up(&keeper->file, &keeper->run);
	fleet_gate_cancel();
}

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
	int64_t ahead_ns = boot_clock_ns() - clock_now_ns();
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

/* In the record of this machine. */
static bool
note_here(struct gate_keeper *keeper, const struct gate_attempt *attempt,
    bool is_probe, struct fleet_news *news)
{
	struct gate_file *file = &keeper->file;

	if (!gate_keeper_has_file(keeper)
	    || !gate_file_lock(file, &news->after, &news->now_ns))
		return false;
	news->before = news->after;
	news->is_lost = is_probe && news->before.turn != keeper->run.turn;
	return gate_file_finish(file, &news->after,
	    gate_end(&news->after, news->now_ns, &keeper->run, attempt)
	        .changed);
}

bool
gate_keeper_note(struct gate_keeper *keeper, const struct gate_attempt *attempt,
    bool is_probe, int64_t asked_ns, struct gate_record *after)
{
	struct fleet_news news;

	if (!(gate_keeper_has_fleet(keeper)
	        && fleet_gate_end(keeper, attempt, &news))
	    && !note_here(keeper, attempt, is_probe, &news))
		return false;
	turn_give_up(&keeper->file, &keeper->run);
	turn_news_change(&news.before, &news.after, news.now_ns, asked_ns,
	    is_probe, news.is_lost);
	*after = news.after;
	return true;
}

bool
gate_keeper_is_quiet(struct gate_keeper *keeper)
{
	int64_t now_ns;

	if (gate_keeper_has_file(keeper)
	    && !gate_file_read(&keeper->file, &keeper->seen, &now_ns))
		return false;
	return gate_is_quiet(&keeper->seen);
}

void
gate_keeper_cancel(struct gate_keeper *keeper)
{
	struct gate_attempt attempt = { .outcome = GATE_NO_NEWS, .reason = "" };
	struct gate_file *file = &keeper->file;
	struct gate_record record;
	int64_t now_ns;

	fleet_gate_cancel();
	if (!gate_keeper_has_file(keeper) || keeper->run.turn == 0)
		return;
	if (gate_file_lock(file, &record, &now_ns)) {
		attempt.began_ns = attempt.ended_ns = now_ns;
		gate_file_finish(file, &record,
		    gate_end(&record, now_ns, &keeper->run, &attempt).changed);
	}
	turn_give_up(file, &keeper->run);
}

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
