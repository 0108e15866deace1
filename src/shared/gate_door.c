/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/duration.h"
#include "core/gate.h"
#include "core/gate_message.h"
#include "core/gate_pause.h"
#include "core/hash.h"
#include "core/reason.h"
#include "log/countdown_line.h"
#include "process/clock.h"
#include "process/environment.h"
#include "process/signals.h"
#include "shared/fleet.h"
#include "shared/fleet_gate.h"
#include "shared/gate_attempt.h"
#include "shared/gate_door.h"
#include "shared/gate_file.h"
#include "shared/gate_news.h"
#include "shared/turn.h"

static const struct gate_options *options;
static const struct settings *settings;
static struct random *random_source;
static struct gate_file gate
    = { .part = { .what = "gate", .file = { .fd = -1 } } };
static const char *shown_name;
static struct gate_run run;
static struct gate_record seen; /* as it was when last asked */
static bool is_tried, is_probe; /* to open the file; the attempt is one */
static int64_t waited_ns; /* in all */
static const struct fleet_gate fleet = { &gate, &run };

void
gate_door_start(const struct gate_options *what,
    const struct settings *in_force, const char *id, int64_t patience_ns,
    struct random *random)
{
	static char shown[SHARED_NAME_SIZE + 8];
	struct text text = text_in(shown, sizeof shown);

	options = what;
	settings = in_force;
	random_source = random;
	gate.part.name = what->name;
	gate.part.instead = what->fleet ? "with the fleet alone" : NULL;
	text_add(&text, what->fleet ? "fleet:" : "");
	text_add(&text, what->name);
	gate_news_start(shown);
	shown_name = shown;
	run.id = hash_of(id, strlen(id));
	run.patience_ns = patience_ns;
}

/* The fleet of the gate, and not of the slots alone. */
static bool
fleet_has_gate(void)
{
	return options->fleet && fleet_is_on();
}

static bool
is_local(void)
{
	return gate.part.file.fd >= 0;
}

/* Here, and in the fleet. */
static void
give_up_turn(void)
{
	turn_give_up(&gate, &run);
	fleet_gate_cancel();
}

static const struct entry go = { .admission = ADMISSION_GO };

/* The gate cannot be used: from now on there is none. */
static struct entry
go_without(void)
{
	int signal;

	run.turn = 0;
	environment_gate(NULL);
	/* Nobody waits for the lock of the record when told to end. */
	if (signals_end_pending() && (signal = signals_drain()) != 0)
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	fleet_gate_cancel();
	if (is_local())
		shared_state_lose(&gate.part, gate.part.file.why);
	return go;
}

/* What the record says to us now; it is written where it says that. */
static bool
ask(struct gate_decision *decision)
{
	int64_t now_ns;

	if (!is_local() && options->fleet) {
		*decision = (struct gate_decision) { .kind = GATE_START };
		seen = gate_record_new();
		return true;
	}
	if (!gate_file_read(&gate, &seen, &now_ns))
		return false;
	*decision = gate_ask(&seen, now_ns, &run);
	if (!decision->changed)
		return true;
	if (!gate_file_lock(&gate, &seen, &now_ns))
		return false;
	*decision = gate_ask(&seen, now_ns, &run);
	if (decision->changed)
		return gate_file_write(&gate, &seen);
	gate_file_unlock(&gate);
	return true;
}

/* The attempt may begin. A probe keeps the turn. */
static struct entry
enter(const struct gate_decision *decision)
{
	is_probe = decision->kind == GATE_PROBE;
	if (!is_probe)
		turn_give_up(&gate, &run);
	environment_gate(is_probe ? "probing" : gate_state_name(seen.state));
	if (is_probe)
		gate_news_tell(GATE_NEWS_PROBE, &seen);
	else if (decision->was == GATE_RAMP && seen.state == GATE_OPEN)
		gate_news_tell(GATE_NEWS_OPEN, &seen);
	return go;
}

static struct entry
refuse(void)
{
	static char closing[SHARED_NAME_SIZE + GATE_REASON_SIZE + 64];
	static char reason[GATE_REASON_SIZE + 1];
	struct text words = text_in(closing, sizeof closing);
	struct text why = text_in(reason, sizeof reason);

	gate_closing(&words, shown_name, waited_ns, seen.reason);
	text_add(&why, seen.reason);
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
	give_up_turn();
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

/*
 * The same of who has the turn here: then the fleet decides, if there is one.
 * With GATE_QUEUE in *DECISION it waits there. *SIGNAL is what has ended that,
 * or 0.
 */
static bool
ask_in_turn(struct gate_decision *decision, int64_t limit_ns, int *signal)
{
	bool waits = decision->kind == GATE_QUEUE;

	*signal = 0;
	if (!fleet_has_gate() || (is_local() && run.turn == 0))
		return ask(decision);
	if (waits)
		gate_news_wait(&seen, true);
	if (waits ? fleet_gate_await(&fleet, limit_ns, &seen, decision, signal)
	          : fleet_gate_ask(&fleet, FLEET_TURN, &seen, decision))
		return true;
	return ask(decision);
}

/* With the turn, or because none is needed, until an attempt may begin. */
static struct step
wait_in_turn(int64_t limit_ns)
{
	static const struct entry late = { .admission = ADMISSION_LATE };
	struct gate_decision decision = { .kind = GATE_NOTHING };
	int signal;

	for (;;) {
		if (!ask_in_turn(&decision, limit_ns, &signal))
			return over(go_without());
		if (signal != 0)
			return over(interrupted(signal));
		switch (decision.kind) {
		case GATE_START:
		case GATE_PROBE:
			return over(enter(&decision));
		case GATE_WAIT:
			break;
		case GATE_LOST:
			give_up_turn();
			gate_news_tell(GATE_NEWS_LOST, &seen);
			return (struct step) { .is_over = false };
		case GATE_QUEUE:
			if (clock_now_ns() >= limit_ns)
				return over(late);
			if (fleet_has_gate() && (run.turn != 0 || !is_local()))
				continue;
			/* fallthrough */
		case GATE_NOTHING:
		case GATE_TAKE:
			give_up_turn();
			return (struct step) { .is_over = false };
		}
		signal = gate_news_count(&seen,
		    min_ns(limit_ns, turn_monotonic(decision.until_ns)), -1);
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

	if (!is_local())
		return wait_in_turn(limit_ns);
	/* Who stands behind others needs nobody who asks for it. */
	if (options->fleet)
		fleet_rest();
	switch (turn_take(&gate, &run, limit_ns, &signal)) {
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

static struct entry
wait_until(int64_t until_ns)
{
	int64_t began_ns = clock_now_ns(), patience_ns, limit_ns;
	struct step step;
	bool had;
	int signal;

	/* A wait of nothing is none, even if a probe is due. */
	patience_ns = max_ns(options->wait_ns - waited_ns, 0);
	if (patience_ns == 0)
		return refuse();
	limit_ns = min_ns(until_ns, saturating_add(began_ns, patience_ns));
	had = !is_local() || turn_try(&gate, &run, seen.turn);
	/* Who asks the fleet may find that it is not shut any more. */
	if (!had || !fleet_has_gate())
		gate_news_wait(&seen, had);
	step = had ? wait_in_turn(limit_ns) : wait_once(limit_ns);
	while (!step.is_over)
		step = wait_once(limit_ns);
	countdown_line_end();
	waited_ns = saturating_add(waited_ns, clock_now_ns() - began_ns);
	gate_news_waited(waited_ns);
	if (step.entry.admission == ADMISSION_LATE) {
		give_up_turn();
		if (saturating_add(began_ns, patience_ns) < until_ns)
			return refuse();
	}
	/* What came in the wait and is not for us is discarded. */
	if (step.entry.admission == ADMISSION_GO
	    && (signal = signals_drain()) != 0) {
		gate_door_cancel();
		step.entry = (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	}
	return step.entry;
}

struct entry
gate_door_enter(int64_t until_ns)
{
	struct gate_decision decision;

	if (!is_tried) {
		is_tried = true;
		shared_state_open(&gate.part);
	}
	if (!is_local() && !fleet_has_gate())
		return go;
	is_probe = false;
	if (!ask(&decision))
		return go_without();
	/* What is shut here is so in the fleet, or was when somebody asked. */
	if (decision.kind == GATE_START && fleet_has_gate())
		fleet_gate_ask(&fleet, FLEET_LOOK, &seen, &decision);
	if (decision.kind == GATE_START)
		return enter(&decision);
	return wait_until(until_ns);
}

/* Notes the attempt in the record of this machine. */
static bool
note_here(const struct gate_attempt *attempt, struct fleet_news *news)
{
	if (!gate_file_lock(&gate, &news->after, &news->now_ns))
		return false;
	news->before = news->after;
	news->is_lost = is_probe && news->before.turn != run.turn;
	if (gate_end(&news->after, news->now_ns, &run, attempt).changed)
		return gate_file_write(&gate, &news->after);
	gate_file_unlock(&gate);
	return true;
}

/* Notes it where it counts, and gives the turn up. */
static bool
note(const struct loop_state *state, struct gate_attempt *attempt,
    struct gate_record *after)
{
	struct fleet_news news;

	attempt->pause_ns = gate_pause(
	    &settings->policy, random_source, gate_failures(&seen));
	if (!(fleet_has_gate() && fleet_gate_end(&fleet, attempt, &news))
	    && !note_here(attempt, &news))
		return false;
	turn_give_up(&gate, &run);
	gate_news_hold();
	if (news.is_lost)
		gate_news_tell(GATE_NEWS_LOST, &news.before);
	gate_news_change(&news.before, &news.after, news.now_ns,
	    state->outcome.evidence.hint.wait_ns, is_probe);
	*after = news.after;
	return true;
}

struct aftermath
gate_door_leave(const struct loop_state *state)
{
	static const struct aftermath none = { .at_door = false };
	char words[REASON_SIZE];
	struct gate_attempt attempt;
	struct gate_record record;
	bool is_shut;

	if (!is_local() && !fleet_has_gate())
		return none;
	environment_gate(NULL);
	attempt = gate_attempt_of(state, settings, random_source, words);
	/* Nothing that anybody would want to know. */
	if (run.turn == 0 && !is_probe
	    && (attempt.outcome == GATE_NO_NEWS
	        || (attempt.outcome == GATE_ENDED_WELL
	            && seen.state == GATE_OPEN && seen.failures == 0)))
		return none;
	if (!note(state, &attempt, &record)) {
		if (!signals_end_pending())
			go_without();
		else
			turn_give_up(&gate, &run);
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
		.uncounted = is_probe,
	};
}

void
gate_door_cancel(void)
{
	struct gate_attempt attempt = { .outcome = GATE_NO_NEWS, .reason = "" };
	struct gate_record record;
	int64_t now_ns;

	environment_gate(NULL);
	fleet_gate_cancel();
	if (!is_local() || run.turn == 0)
		return;
	if (gate_file_lock(&gate, &record, &now_ns)) {
		attempt.began_ns = attempt.ended_ns = now_ns;
		if (gate_end(&record, now_ns, &run, &attempt).changed)
			gate_file_write(&gate, &record);
		else
			gate_file_unlock(&gate);
	}
	turn_give_up(&gate, &run);
}
