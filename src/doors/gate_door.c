/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/duration.h"
#include "core/base/hash.h"
#include "core/gate/probe_pause.h"
#include "core/gate/shared_name.h"
#include "core/loop/result.h"
#include "core/words/gate_message.h"
#include "core/words/reason.h"
#include "doors/gate_door.h"
#include "doors/gate_news.h"
#include "log/countdown_line.h"
#include "process/environment.h"
#include "process/signals.h"
#include "shared/gate_store.h"
#include "system/system.h"

static const struct gate_options *options;
static const struct settings *settings;
static struct random *random_source;
static struct gate_store store
    = { .part = { .what = "gate", .file = { .fd = -1 } } };
static struct gate_view seen; /* when it was last looked at */
static char shown_name[FLEET_NAME_SIZE];
static uint64_t run; /* a hash of our id */
static bool is_tried; /* to open the file */
static bool is_probe; /* the attempt */
static bool is_woken; /* it was let through a shut gate */
static uint64_t ticket; /* of our wait or probe; 0: none */
static int64_t waited_ns; /* in all */
static int64_t spent_ns; /* of --gate-wait */

static const struct entry go = { .admission = ADMISSION_GO };

void
gate_door_start(const struct gate_options *what,
    const struct settings *in_force, const char *id, struct random *random)
{
	struct text text = text_in(shown_name, sizeof shown_name);

	options = what;
	settings = in_force;
	random_source = random;
	store.part.name = what->name;
	store.part.instead = what->fleet ? "with the fleet alone" : NULL;
	store.is_fleet = what->fleet;
	shared_name_add(&text, what->name, what->fleet);
	gate_news_start(shown_name);
	run = hash_of(id, strlen(id));
}

static void
give_up_ticket(void)
{
	gate_store_drop(&store);
	ticket = 0;
}

/* The gate cannot be used: from now on there is none. */
static struct entry
go_without(void)
{
	int signal;

	ticket = 0;
	is_probe = false;
	environment_gate(NULL);
	/* Nobody waits for the lock of the record when told to end. */
	if (signals_end_pending() && (signal = signals_drain()) != 0)
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	if (store.part.file.fd >= 0)
		shared_state_lose(&store.part, store.part.file.why);
	return go;
}

/*
 * Who waits has patience with a fleet: what others hold there may last for as
 * long as a lease, and without it each machine would probe.
 */
static bool
is_patient(void)
{
	return options->fleet && ticket != 0 && fleet_is_away();
}

/* A step with what was seen, as a run that has TICKET or none. */
static struct gate_answer
step(void)
{
	const struct gate_visit visit = { ticket, seen.living };
	struct gate before = seen.gate;
	struct gate_answer answer = gate_look(&seen.gate, seen.now_ns, &visit);

	if (answer.kind != GATE_PROBE || !is_patient())
		return answer;
	seen.gate = before;
	return (struct gate_answer) { .kind = GATE_WAIT,
		.ticket = ticket,
		.until_ns = seen.now_ns + NS_PER_S };
}

/* What has been asked may have lost the fleet. */
static void
tell_lost(void)
{
	if (options->fleet && !is_patient())
		fleet_tell_lost(FLEET_GATE);
}

/* Asks whether we may start, and writes that. False: the gate is lost. */
static bool
ask_and_write(struct gate_answer *answer)
{
	enum stored stored;

	do {
		if (signals_end_pending() || !gate_store_begin(&store, &seen))
			return false;
		*answer = step();
		stored = gate_store_end(
		    &store, &seen, answer->changed, answer->ticket);
	} while (stored == STORE_CROSSED);
	return stored == STORE_DONE;
}

/* Asks whether we may start. False: the gate cannot be used. */
static bool
ask(struct gate_answer *answer)
{
	bool done = gate_store_look(&store, &seen);

	if (done)
		*answer = step();
	if (done && answer->changed)
		done = ask_and_write(answer);
	tell_lost();
	if (!done)
		return false;
	ticket = answer->ticket;
	if (ticket == 0)
		gate_store_drop(&store);
	return true;
}

static struct entry
enter(enum gate_kind kind)
{
	is_probe = kind == GATE_PROBE;
	environment_gate(is_probe              ? "probing"
	        : seen.gate.state == GATE_OPEN ? "open"
	                                       : "paced");
	if (is_probe)
		gate_news_tell(GATE_NEWS_PROBE, &seen.gate);
	return go;
}

/* --gate-wait is over. */
static struct entry
refuse(void)
{
	static char closing[SHARED_NAME_SIZE + GATE_REASON_SIZE + 64];
	const char *reason = seen.gate.reason;
	struct text words = text_in(closing, sizeof closing);

	give_up_ticket();
	gate_closing(&words, shown_name, waited_ns, reason);
	return (struct entry) { .admission = ADMISSION_REFUSED,
		.closing = closing,
		.reason = reason[0] != '\0' ? reason : NULL };
}

/* The limit of the run has come. */
static struct entry
be_late(void)
{
	static char words[FLEET_NAME_SIZE + GATE_REASON_SIZE + 16];
	struct text text = text_in(words, sizeof words);

	give_up_ticket();
	text_join(&text, "gate ", shown_name,
	    seen.gate.reason[0] != '\0' ? ": " : "", seen.gate.reason);
	return (struct entry) { .admission = ADMISSION_LATE, .waiting = words };
}

/*
 * A signal has ended the wait. The wake signal means: try now, and the gate has
 * no say. Such an attempt is no probe; its failure changes nothing.
 */
static struct entry
interrupted(int signal)
{
	give_up_ticket();
	if (!signals_ends(signal))
		signal = signals_drain();
	if (signal != 0)
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	is_woken = seen.gate.state == GATE_SHUT;
	environment_gate(is_woken ? "probing" : "paced");
	return go;
}

/* A moment of CLOCK_BOOTTIME by CLOCK_MONOTONIC, if no suspension follows. */
static int64_t
monotonic(int64_t boottime_ns)
{
	return saturating_add(
	    clock_now_ns(), max_ns(boottime_ns - boot_clock_ns(), 0));
}

/*
 * A wait until it is time to look again, by CLOCK_MONOTONIC. Returns what ends
 * it as signals_sleep() does.
 */
static int
wait_once(int64_t until_ns, bool counts)
{
	int64_t began_ns = clock_now_ns(), took_ns;
	int64_t left_ns = max_ns(options->wait_ns - spent_ns, 0);
	int signal;

	if (counts)
		until_ns = min_ns(until_ns, saturating_add(began_ns, left_ns));
	signal = gate_news_wait(&seen, until_ns);
	took_ns = clock_now_ns() - began_ns;
	waited_ns = saturating_add(waited_ns, took_ns);
	if (counts)
		spent_ns = saturating_add(spent_ns, took_ns);
	gate_news_waited(waited_ns);
	return signal;
}

static struct entry
wait_until(struct gate_answer answer, int64_t until_ns)
{
	while (answer.kind == GATE_WAIT) {
		bool counts = gate_keeps_waiting(&seen.gate, seen.now_ns);
		int signal;

		if (counts && spent_ns >= options->wait_ns)
			return refuse();
		if (clock_now_ns() >= until_ns) {
			return be_late();
		}
		if (options->fleet)
			fleet_rest();
		signal = wait_once(
		    min_ns(until_ns, monotonic(answer.until_ns)), counts);
		if (signal != 0)
			return interrupted(signal);
		if (!ask(&answer))
			return go_without();
	}
	return enter(answer.kind);
}

/* What came in the wait and is not for us is discarded. */
static struct entry
wait_at_gate(struct gate_answer answer, int64_t until_ns)
{
	struct entry entry = wait_until(answer, until_ns);
	int signal;

	countdown_line_end();
	if (entry.admission != ADMISSION_GO || (signal = signals_drain()) == 0)
		return entry;
	gate_door_cancel();
	return (
	    struct entry) { .admission = ADMISSION_SIGNAL, .signal = signal };
}

/* Of who has no time left to wait: whether it must not even take a ticket. */
static bool
has_to_leave(void)
{
	if (spent_ns < options->wait_ns || !gate_store_look(&store, &seen))
		return false;
	gate_pass_time(&seen.gate, seen.now_ns);
	return seen.gate.state == GATE_SHUT
	    && !gate_is_deserted(&seen.gate, seen.now_ns, seen.living);
}

struct entry
gate_door_enter(int64_t until_ns)
{
	enum gate_state before = seen.gate.state;
	struct gate_answer answer;

	if (!is_tried) {
		is_tried = true;
		shared_state_open(&store.part);
	}
	is_probe = is_woken = false;
	if (!gate_store_is_there(&store))
		return go;
	if (has_to_leave())
		return refuse();
	if (!ask(&answer))
		return go_without();
	if (before == GATE_PACED && seen.gate.state == GATE_OPEN)
		gate_news_tell(GATE_NEWS_OPEN, &seen.gate);
	return answer.kind == GATE_WAIT ? wait_at_gate(answer, until_ns)
	                                : enter(answer.kind);
}

bool
gate_door_look_again(void)
{
	if (!gate_store_is_there(&store))
		return true;
	if (!gate_store_look(&store, &seen)) {
		go_without();
		return true;
	}
	gate_pass_time(&seen.gate, seen.now_ns);
	if (seen.gate.state == GATE_SHUT)
		return is_probe && gate_is_probed_by(&seen.gate, ticket);
	if (is_probe)
		give_up_ticket();
	is_probe = false;
	return true;
}

/* What the gate makes of an outcome. */
static enum gate_outcome
outcome_of(const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;

	if (verdict_is_good(state->verdict))
		return GATE_SUCCESS;
	if (!verdict_is_failure(state->verdict)
	    || outcome->kind == OUTCOME_NOT_STARTED
	    || outcome_told(outcome) != 0 || outcome->by_forwarded)
		return GATE_NEUTRAL;
	return state->verdict == VERDICT_THROTTLE
	        || outcome->evidence.hint.has_wait
	    ? GATE_REFUSAL
	    : GATE_FAILURE;
}

/* The attempt as the gate sees it; WORDS takes the reason. */
static struct gate_attempt
attempt_of(const struct loop_state *state, char words[REASON_SIZE])
{
	const struct outcome *outcome = &state->outcome;
	const struct hint *hint = &outcome->evidence.hint;
	int64_t ahead_ns = boot_clock_ns() - clock_now_ns();
	struct text reason = text_in(words, REASON_SIZE);
	struct gate_attempt attempt = {
		.outcome = outcome_of(state),
		.run = run,
		.ticket = is_probe ? ticket : 0,
		.began_ns = outcome->started_ns + ahead_ns,
		.ended_ns = outcome->ended_ns + ahead_ns,
		.reason = words,
	};

	reason_without_line(&reason, outcome);
	if (hint->has_wait && hint->wait_ns > 0
	    && hint->wait_ns <= settings->limits.hint_max_ns) {
		attempt.stated_ns = hint->wait_ns;
		attempt.pause_ns = random_between(random_source, hint->wait_ns,
		    saturating_add(hint->wait_ns, settings->policy.base_ns));
	} else {
		attempt.pause_ns = gate_pause(&settings->policy, random_source,
		    gate_next_failure(&seen.gate));
	}
	return attempt;
}

/*
 * What ATTEMPT makes of the gate that was seen. True: it has to be written. In
 * a fleet a machine is one run; but not where that is lost.
 */
static bool
add(const struct gate_attempt *attempt)
{
	struct gate_attempt added = *attempt;

	if (options->fleet && fleet_is_on()) {
		added.run = fleet_machine();
		added.row_ns = GATE_FLEET_ROW_NS;
	}
	return gate_result(&seen.gate, seen.now_ns, &added);
}

/* Writes what ATTEMPT makes of the gate, and of BEFORE. False: it is lost. */
static bool
note_and_write(const struct gate_attempt *attempt, struct gate *before)
{
	enum stored stored;
	bool changed;

	do {
		if (!gate_store_begin(&store, &seen))
			return false;
		gate_pass_time(&seen.gate, seen.now_ns);
		*before = seen.gate;
		changed = add(attempt);
		stored = gate_store_end(&store, &seen, changed, 0);
	} while (stored == STORE_CROSSED);
	return stored == STORE_DONE;
}

/* Tells the gate of ATTEMPT. False: it cannot be used. */
static bool
note(const struct gate_attempt *attempt, int64_t asked_ns)
{
	bool done = gate_store_look(&store, &seen);
	struct gate before = seen.gate;

	if (done && add(attempt))
		done = note_and_write(attempt, &before);
	tell_lost();
	if (done)
		gate_news_change(&before, &seen, asked_ns, attempt->ticket);
	return done;
}

struct aftermath
gate_door_leave(const struct loop_state *state)
{
	static const struct aftermath none = { .at_door = false };
	char words[REASON_SIZE];
	struct gate_attempt attempt;
	bool done, probed = is_probe || is_woken;
	const struct gate *gate = &seen.gate;

	if (!gate_store_is_there(&store))
		return none;
	environment_gate(NULL);
	attempt = attempt_of(state, words);
	/* Nothing that anybody would want to know. */
	if (attempt.outcome == GATE_NEUTRAL && !is_probe)
		return none;
	done = note(&attempt, state->outcome.evidence.hint.wait_ns);
	give_up_ticket();
	is_probe = false;
	if (!done && !signals_end_pending())
		go_without();
	if (!done
	    || (attempt.outcome != GATE_FAILURE
	        && attempt.outcome != GATE_REFUSAL))
		return none;
	/* A wait that was stated to us still holds for ourselves. */
	return (struct aftermath) {
		.at_door = gate->state == GATE_SHUT
		    && (attempt.stated_ns == 0
		        || gate->due_ns
		            >= attempt.ended_ns + attempt.stated_ns),
		.probe = {
		    .number = probed ? max_ns(gate->probes, 1) : 0,
		    .gate = shown_name,
		},
		.keeps_windows = probed || gate->state == GATE_PACED,
	};
}

void
gate_door_tell(void)
{
	gate_news_release();
}

void
gate_door_cancel(void)
{
	const struct gate_attempt attempt
	    = { .outcome = GATE_NEUTRAL, .ticket = ticket, .reason = "" };

	environment_gate(NULL);
	if (is_probe && gate_store_is_there(&store))
		note(&attempt, 0);
	give_up_ticket();
	is_probe = false;
}
