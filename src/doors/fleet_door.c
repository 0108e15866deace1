/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/gate/gate.h"
#include "core/gate/probe_pause.h"
#include "core/words/turn_message.h"
#include "core/words/reason.h"
#include "doors/fleet_gate.h"
#include "doors/fleet_door.h"
#include "doors/gate_keeper.h"
#include "doors/turn_news.h"
#include "doors/turn.h"
#include "log/countdown_line.h"
#include "process/environment.h"
#include "process/signals.h"
#include "shared/fleet.h"
#include "system/boot.h"
#include "system/clock.h"

static const struct gate_options *options;
static const struct settings *settings;
static struct random *random_source;
static struct gate_keeper keeper
    = { .file = { .part = { .what = "gate", .file = { .fd = -1 } } } };
static char shown_name[FLEET_NAME_SIZE];
static bool is_tried, is_probe; /* to open the file; the attempt is one */
static int64_t waited_ns; /* in all */
static int64_t spent_ns; /* of --gate-wait */

void
fleet_door_start(const struct gate_options *what,
    const struct settings *in_force, const char *id, int64_t patience_ns,
    struct random *random)
{
	struct text text = text_in(shown_name, sizeof shown_name);

	options = what;
	settings = in_force;
	random_source = random;
	keeper.file.part.name = what->name;
	keeper.file.part.instead = what->fleet ? "with the fleet alone" : NULL;
	shared_name_add(&text, what->name, what->fleet);
	turn_news_start(shown_name);
	keeper.is_of_fleet = what->fleet;
	keeper.run.id = hash_of(id, strlen(id));
	keeper.run.patience_ns = patience_ns;
}

static const struct entry go = { .admission = ADMISSION_GO };

/* The gate cannot be used: from now on there is none. */
static struct entry
go_without(void)
{
	int signal;

	keeper.run.turn = 0;
	environment_gate(NULL);
	/* Nobody waits for the lock of the record when told to end. */
	if (signals_end_pending() && (signal = signals_drain()) != 0)
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	fleet_gate_cancel();
	if (gate_keeper_has_file(&keeper))
		shared_state_lose(&keeper.file.part, keeper.file.part.file.why);
	return go;
}

/* The attempt may begin. A probe keeps the turn. */
static struct entry
enter(const struct gate_decision *decision)
{
	is_probe = decision->kind == GATE_PROBE;
	if (!is_probe)
		turn_give_up(&keeper.file, &keeper.run);
	environment_gate(
	    is_probe ? "probing" : gate_state_name(keeper.seen.state));
	if (is_probe)
		turn_news_tell(GATE_NEWS_PROBE, &keeper.seen);
	else if (decision->was == GATE_RAMP && keeper.seen.state == GATE_OPEN)
		turn_news_tell(GATE_NEWS_OPEN, &keeper.seen);
	return go;
}

static struct entry
refuse(void)
{
	static char closing[SHARED_NAME_SIZE + GATE_REASON_SIZE + 64];
	const char *reason = keeper.seen.reason;
	struct text words = text_in(closing, sizeof closing);

	turn_closing(&words, shown_name, waited_ns, reason);
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = closing,
		.reason = reason[0] != '\0' ? reason : NULL };
}

/*
 * A signal has ended the wait. The wake signal means: try now, and the gate has
 * no say. Such an attempt is no probe; its failure changes nothing.
 */
static struct entry
interrupted(int signal)
{
	gate_keeper_give_up(&keeper);
	if (!signals_ends(signal))
		signal = signals_drain();
	if (signal != 0)
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	environment_gate("probing");
	return go;
}

/* What a step of the wait has brought: it is over, or has to begin again. */
struct step {
	bool is_over;
	struct entry entry;
};

static struct step
over(struct entry entry)
{
	return (struct step) { true, entry };
}

/* With the turn, or because none is needed, until an attempt may begin. */
static struct step
wait_in_turn(int64_t limit_ns)
{
	static const struct entry late = { .admission = ADMISSION_LATE };
	struct gate_decision decision = { .kind = GATE_NOTHING };
	int signal;

	for (;;) {
		if (!gate_keeper_ask_in_turn(
		        &keeper, &decision, limit_ns, &signal))
			return over(go_without());
		if (signal != 0)
			return over(interrupted(signal));
		if (decision.kind == GATE_QUEUE) {
			if (clock_now_ns() >= limit_ns)
				return over(late);
			/* Another machine has the turn; we stand for ours. */
			if (gate_keeper_has_fleet(&keeper)
			    && (keeper.run.turn != 0
			        || !gate_keeper_has_file(&keeper)))
				continue;
		}
		switch (decision.kind) {
		case GATE_START:
		case GATE_PROBE:
			return over(enter(&decision));
		case GATE_WAIT:
			break;
		case GATE_LOST:
			gate_keeper_give_up(&keeper);
			turn_news_tell(GATE_NEWS_LOST, &keeper.seen);
			return (struct step) { .is_over = false };
		case GATE_QUEUE:
		case GATE_NOTHING:
		case GATE_TAKE:
			gate_keeper_give_up(&keeper);
			return (struct step) { .is_over = false };
		}
		signal = gate_keeper_sleep(&keeper,
		    min_ns(limit_ns, turn_monotonic(decision.until_ns)));
		if (signal != 0)
			return over(interrupted(signal));
		if (clock_now_ns() >= limit_ns)
			return over(late);
	}
}

static struct step
wait_once(int64_t limit_ns)
{
	int signal;

	if (!gate_keeper_has_file(&keeper))
		return wait_in_turn(limit_ns);
	/* Who stands behind others needs nobody who asks for it. */
	if (options->fleet)
		fleet_rest();
	switch (turn_take(&keeper.file, &keeper.run, limit_ns, &signal)) {
	case TURN_HAD:
	case TURN_NEEDLESS:
		break;
	case TURN_TIME:
		return over((struct entry) { .admission = ADMISSION_LATE });
	case TURN_SIGNAL:
		return over(interrupted(signal));
	case TURN_FAILED:
		return over(go_without());
	}
	return wait_in_turn(limit_ns);
}

static struct step
wait_with(const struct gate_patience *patience, int64_t until_ns)
{
	struct step step;

	do {
		int64_t limit_ns
		    = min_ns(until_ns, gate_patience_end(&keeper, patience));

		step = keeper.run.turn != 0 || !gate_keeper_has_file(&keeper)
		    ? wait_in_turn(limit_ns)
		    : wait_once(limit_ns);
	} while (!step.is_over
	    || (step.entry.admission == ADMISSION_LATE
	        && gate_patience_lasts(&keeper, patience, until_ns)));
	return step;
}

static struct entry
wait_until(int64_t until_ns)
{
	struct gate_patience patience = {
		.began_ns = clock_now_ns(),
		.left_ns = max_ns(options->wait_ns - spent_ns, 0),
		.stated_ns = gate_stated_ns(&keeper.seen, boot_clock_ns()),
	};
	int64_t took_ns, stated_ns;
	struct gate_decision decision;
	struct step step;
	bool had;
	int signal;

	/* A wait of nothing is none, even if a probe is due. */
	if (patience.left_ns == 0)
		return gate_keeper_ask_at_once(&keeper, &decision)
		    ? enter(&decision)
		    : refuse();
	had = !gate_keeper_has_file(&keeper)
	    || turn_try(&keeper.file, &keeper.run, keeper.seen.turn);
	/* Who asks the fleet may find that it is not shut any more. */
	keeper.has_to_tell = had && gate_keeper_has_fleet(&keeper);
	if (!keeper.has_to_tell)
		turn_news_wait(&keeper.seen, had);
	step = wait_with(&patience, until_ns);
	countdown_line_end();
	took_ns = clock_now_ns() - patience.began_ns;
	stated_ns = gate_stated_ns(&keeper.seen, boot_clock_ns())
	    - patience.stated_ns;
	waited_ns = saturating_add(waited_ns, took_ns);
	spent_ns = saturating_add(
	    spent_ns, max_ns(took_ns - max_ns(stated_ns, 0), 0));
	turn_news_waited(waited_ns);
	if (step.entry.admission == ADMISSION_LATE) {
		gate_keeper_give_up(&keeper);
		if (gate_patience_end(&keeper, &patience) < until_ns)
			return refuse();
	}
	/* What came in the wait and is not for us is discarded. */
	if (step.entry.admission == ADMISSION_GO
	    && (signal = signals_drain()) != 0) {
		fleet_door_cancel();
		step.entry = (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	}
	return step.entry;
}

/*
 * Who probes asks with the turn, which makes the time of the probe begin anew.
 */
static bool
ask(struct gate_decision *decision)
{
	int signal;

	*decision = (struct gate_decision) { .kind = GATE_NOTHING };
	if (is_probe)
		return gate_keeper_ask_in_turn(&keeper, decision,
		    saturating_add(clock_now_ns(), NS_PER_S), &signal);
	if (!gate_keeper_ask(&keeper, decision))
		return false;
	/* What is shut here was so in the fleet: who waits asks in turn. */
	if (decision->kind == GATE_START || options->wait_ns <= spent_ns)
		gate_keeper_look(&keeper, decision);
	return true;
}

struct entry
fleet_door_enter(int64_t until_ns)
{
	struct gate_decision decision;

	if (!is_tried) {
		is_tried = true;
		shared_state_open(&keeper.file.part);
	}
	if (!gate_keeper_is_there(&keeper))
		return go;
	is_probe = false;
	if (!ask(&decision))
		return go_without();
	if (decision.kind == GATE_START)
		return enter(&decision);
	return wait_until(until_ns);
}

void
fleet_door_touch(void)
{
	struct gate_decision decision;

	if (is_probe && gate_keeper_is_there(&keeper))
		ask(&decision);
}

bool
fleet_door_look_again(void)
{
	struct gate_decision decision;

	if (!gate_keeper_is_there(&keeper))
		return true;
	if (!ask(&decision)) {
		go_without();
		return true;
	}
	if (is_probe && decision.kind == GATE_PROBE)
		return true;
	if (is_probe && decision.kind != GATE_START) {
		gate_keeper_give_up(&keeper);
		return false;
	}
	if (keeper.seen.state == GATE_SHUT || keeper.seen.state == GATE_PROBING)
		return false;
	is_probe = false;
	turn_give_up(&keeper.file, &keeper.run);
	environment_gate(gate_state_name(keeper.seen.state));
	return true;
}

struct aftermath
fleet_door_leave(const struct loop_state *state)
{
	static const struct aftermath none = { .at_door = false };
	char words[REASON_SIZE];
	struct gate_attempt attempt;
	struct gate_record record;
	bool is_shut;

	if (!gate_keeper_is_there(&keeper))
		return none;
	environment_gate(NULL);
	attempt = gate_attempt_of(state, settings, random_source, words);
	/* Nothing that anybody would want to know. */
	if (keeper.run.turn == 0 && !is_probe
	    && (attempt.outcome == GATE_NO_NEWS
	        || (attempt.outcome == GATE_ENDED_WELL
	            && gate_keeper_is_quiet(&keeper))))
		return none;
	attempt.pause_ns = gate_pause(
	    &settings->policy, random_source, gate_failures(&keeper.seen));
	if (!gate_keeper_note(&keeper, &attempt, is_probe,
	        state->outcome.evidence.hint.wait_ns, &record)) {
		if (!signals_end_pending())
			go_without();
		else
			turn_give_up(&keeper.file, &keeper.run);
		return none;
	}
	is_shut = record.state == GATE_SHUT || record.state == GATE_PROBING;
	if (attempt.outcome != GATE_FAILED)
		return none;
	/* A hint that the gate has not taken still holds for ourselves. */
	return (struct aftermath) {
		.at_door = is_shut
		    && (attempt.hint_ns == 0
		        || record.due_ns >= attempt.hint_ns),
		.probe = {
		    .number = is_probe ? max_ns(record.probes, 1) : 0,
		    .gate = shown_name,
		},
		.keeps_windows = is_probe || record.state == GATE_RAMP,
	};
}

void
fleet_door_tell(void)
{
	turn_news_release();
}

void
fleet_door_cancel(void)
{
	environment_gate(NULL);
	gate_keeper_cancel(&keeper);
}
