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
#include "shared/gate_attempt.h"
#include "shared/gate_door.h"
#include "shared/gate_file.h"
#include "shared/gate_news.h"
#include "shared/turn.h"

/* A probe without --timeout, and what starting and telling may take. */
#define USUAL_PATIENCE_NS NS_PER_MIN
#define MORE_PATIENCE_NS (10 * NS_PER_S)

static const struct gate_options *options;
static const struct settings *settings;
static struct random *random_source;
static struct gate_file gate
    = { .part = { .what = "gate", .file = { .fd = -1 } } };
static struct gate_run run;
static struct gate_record seen; /* as it was when last asked */
static bool is_tried, is_probe; /* to open the file; the attempt is one */
static int64_t waited_ns; /* in all */

void
gate_door_start(const struct gate_options *what,
    const struct settings *in_force, const char *id, struct random *random)
{
	int64_t timeout_ns = in_force->limits.timeout_ns;

	options = what;
	settings = in_force;
	random_source = random;
	gate.part.name = what->name;
	gate_news_start(what->name);
	run.id = hash_of(id, strlen(id));
	run.patience_ns = saturating_add(MORE_PATIENCE_NS,
	    timeout_ns < DURATION_INF ? timeout_ns : USUAL_PATIENCE_NS);
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
	shared_state_lose(&gate.part, gate.part.file.why);
	return go;
}

/* What the record says to us now; it is written where it says that. */
static bool
ask(struct gate_decision *decision)
{
	int64_t now_ns;

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

	gate_closing(&words, options->name, waited_ns, seen.reason);
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
	turn_give_up(&gate, &run);
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
	struct gate_decision decision;
	int signal;

	for (;;) {
		if (!ask(&decision))
			return over(go_without());
		switch (decision.kind) {
		case GATE_START:
		case GATE_PROBE:
			return over(enter(&decision));
		case GATE_WAIT:
			break;
		case GATE_LOST:
			turn_give_up(&gate, &run);
			gate_news_tell(GATE_NEWS_LOST, &seen);
			return (struct step) { .is_over = false };
		case GATE_NOTHING:
		case GATE_QUEUE:
		case GATE_TAKE:
			turn_give_up(&gate, &run);
			return (struct step) { .is_over = false };
		}
		signal = gate_news_count(
		    &seen, min_ns(limit_ns, turn_monotonic(decision.until_ns)));
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
	had = turn_try(&gate, &run, seen.turn);
	gate_news_wait(&seen, had);
	step = had ? wait_in_turn(limit_ns) : wait_once(limit_ns);
	while (!step.is_over)
		step = wait_once(limit_ns);
	countdown_line_end();
	waited_ns = saturating_add(waited_ns, clock_now_ns() - began_ns);
	gate_news_waited(waited_ns);
	if (step.entry.admission == ADMISSION_LATE) {
		turn_give_up(&gate, &run);
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
	if (gate.part.file.fd < 0)
		return go;
	is_probe = false;
	if (!ask(&decision))
		return go_without();
	if (decision.kind == GATE_START)
		return enter(&decision);
	return wait_until(until_ns);
}

/* Notes the attempt in the record, and gives the turn up. */
static bool
note(const struct loop_state *state, struct gate_attempt *attempt,
    struct gate_record *after)
{
	struct gate_record before;
	struct gate_decision decision;
	int64_t now_ns;
	bool is_lost;

	if (!gate_file_lock(&gate, after, &now_ns))
		return false;
	before = *after;
	attempt->pause_ns = gate_pause(
	    &settings->policy, random_source, gate_failures(&before));
	decision = gate_end(after, now_ns, &run, attempt);
	if (!decision.changed)
		gate_file_unlock(&gate);
	else if (!gate_file_write(&gate, after))
		return false;
	is_lost = is_probe && before.turn != run.turn;
	turn_give_up(&gate, &run);
	gate_news_hold();
	if (is_lost)
		gate_news_tell(GATE_NEWS_LOST, &before);
	gate_news_change(&before, after, now_ns,
	    state->outcome.evidence.hint.wait_ns, is_probe);
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

	if (gate.part.file.fd < 0)
		return none;
	environment_gate(NULL);
	attempt = gate_attempt_of(state, settings, random_source, words);
	/* Nothing that anybody would want to know. */
	if (run.turn == 0
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
	if (gate.part.file.fd < 0 || run.turn == 0)
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
