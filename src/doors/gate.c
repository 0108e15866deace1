/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/base.h"
#include "core/words/words.h"
#include "doors/doors.h"
#include "log/log.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

static const struct gate_options *const options = &doors.options.gate;
static struct gate_store store;
static const struct gate *const gate = &store.gate; /* as last seen */
static bool is_woken; /* --wake-on has let the attempt through a shut gate */
static bool was_open; /* the gate, when it was let through */
static int64_t waited_ns; /* at the gate, in all */
static int64_t spent_ns; /* of --gate-wait */

/* --- the log --- */

/*
 * How our attempt has changed the gate, which is logged after the attempt. No
 * name: it has not.
 */
static struct gate_event change;

static int64_t logged_ns; /* since_ns of the gate when the wait was logged */

static struct gate_event
event_of(enum gate_log kind)
{
	return (struct gate_event) {
		.kind = kind,
		.name = doors.gate,
		.gate = gate,
		.waited_ns = waited_ns,
		.next_ns = -1,
	};
}

/* Without -v the log has what an attempt changes, and waits at a shut gate. */
static void
log_event(struct gate_event event)
{
	bool is_detail = event.kind == GATE_LOG_PROBE
	    || event.kind == GATE_LOG_OPEN || event.kind == GATE_LOG_LOST
	    || (event.kind == GATE_LOG_WAIT && gate->state != GATE_SHUT);
	struct text words = TEXT_OF(512), members = TEXT_OF(512);

	gate_message(&words, &event);
	json_gate(&members, &event);
	log_shared(
	    is_detail ? WEIGHT_DETAIL : WEIGHT_NORMAL, words.data, NULL, NULL);
	log_shared(WEIGHT_NORMAL, NULL, "gate", members.data);
}

void
gate_log_change(void)
{
	if (change.name != NULL)
		log_event(change);
	change.name = NULL;
}

/* How ATTEMPT, whose service has asked to wait, has changed the gate. */
static void
keep_change(const struct gate_attempt *attempt, int64_t asked_ns)
{
	const struct gate *before = &store.before;
	bool probed = attempt->ticket != 0;
	struct gate_event event = event_of(GATE_LOG_SHUT);
	static char until[40];
	struct text text = text_in(until, sizeof until);
	int64_t now_ns = clock_epoch_ns();

	if (before->state != GATE_SHUT && gate->state == GATE_SHUT) {
		event.failures = (int64_t)before->row.failures + 1;
		event.next_ns = max_ns(gate->due_ns - store.now_ns, 0);
		if (gate->stated) {
			calendar_text(&text, now_ns + event.next_ns, now_ns);
			event.until = until;
			event.asked_ns = asked_ns;
		}
	} else if (before->state == GATE_SHUT && gate->state == GATE_PACED) {
		event.kind = GATE_LOG_BACK;
		event.probes = (int64_t)before->probes + probed;
		event.shut_ns = max_ns(gate->since_ns - before->since_ns, 0);
	} else if (before->state == GATE_OPEN && gate->state == GATE_PACED) {
		event.kind = GATE_LOG_PACED;
	} else if (probed && before->state == GATE_SHUT
	    && gate_find_prober(before, attempt->ticket) < 0) {
		event.kind = GATE_LOG_LOST;
	} else {
		return;
	}
	change = event;
}

/* --- before an attempt --- */

/* The gate cannot be used: continue without one. */
static struct entry
go_without(void)
{
	store.ticket = 0;
	environment_gate(NULL);
	/* A signal may have ended the wait for the lock of the record. */
	if (store.file.fd >= 0 && !signals_end_pending())
		state_file_lose(&store.file);
	return go;
}

/* An attempt starts now, and finds in BACKOFF_GATE how. */
static struct entry
start(void)
{
	static const char words[GATE_STATES][8]
	    = { "open", "probing", "paced" };

	was_open = gate->state == GATE_OPEN;
	environment_gate(words[gate->state]);
	return go;
}

/* --gate-wait is over, or, if it IS_LATE, the limit of the run has come. */
static struct entry
refuse(bool is_late)
{
	static char words[FLEET_NAME_SIZE + GATE_REASON_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	text_join(&text, is_late ? "gate " : "gave up at gate ", doors.gate);
	if (!is_late)
		text_join(
		    &text, " after ", DURATION(waited_ns), ": ", gate->reason);
	return (struct entry) {
		.admission = is_late ? ADMISSION_LATE : ADMISSION_REFUSED,
		.words = words,
		.reason = gate->reason,
	};
}

/*
 * A wait until BOOT_UNTIL_NS of CLOCK_BOOTTIME, and no longer than LIMIT_NS of
 * CLOCK_MONOTONIC or, if it COUNTS, than --gate-wait. Returns what ends it as
 * log_count_down() does. One line is logged for each time that the gate is
 * shut.
 */
static int
wait_once(int64_t boot_until_ns, int64_t limit_ns, bool counts)
{
	bool is_shut = gate->state == GATE_SHUT;
	int64_t next_ns = is_shut ? gate->due_ns : gate->head_ns;
	int64_t apart_ns = logged_ns - gate->since_ns;
	int64_t began_ns = clock_now_ns(), boot_ns = boot_clock_ns(), took_ns;
	/* The clocks agree unless the machine is suspended meanwhile. */
	int64_t end_ns
	    = saturating_add(began_ns, max_ns(boot_until_ns - boot_ns, 0));
	struct gate_event event = event_of(GATE_LOG_WAIT);
	int signal;

	end_ns = min_ns(end_ns, limit_ns);
	if (counts)
		end_ns = min_ns(end_ns,
		    saturating_add(
		        began_ns, max_ns(options->wait_ns - spent_ns, 0)));
	event.shut_ns = max_ns(boot_ns - gate->since_ns, 0);
	event.next_ns = max_ns(next_ns - store.now_ns, 0);
	logged_ns = gate->since_ns;
	/* The clock of a fleet's server is not ours. */
	if (apart_ns < -NS_PER_S / 2 || apart_ns > NS_PER_S / 2)
		log_event(event);
	signal = log_count_down(end_ns,
	    is_shut && log_shows_waits() ? "shut for " : NULL,
	    max_ns(began_ns - event.shut_ns, 0));
	took_ns = clock_now_ns() - began_ns;
	waited_ns = saturating_add(waited_ns, took_ns);
	if (counts)
		spent_ns = saturating_add(spent_ns, took_ns);
	return signal;
}

static struct entry
wait_until(struct gate_answer answer, int64_t limit_ns, bool *waited)
{
	while (answer.until_ns > 0) {
		bool counts = gate_wait_counts(gate, store.now_ns);
		int signal;

		if (counts && spent_ns >= options->wait_ns)
			return refuse(false);
		if (clock_now_ns() >= limit_ns)
			return refuse(true);
		if (options->fleet)
			fleet_rest();
		*waited = true;
		signal = wait_once(answer.until_ns, limit_ns, counts);
		if (signals_ends(signal))
			return (struct entry) { .admission = ADMISSION_SIGNAL,
				.signal = signal };
		/*
		 * The wake signal means: try now, and the gate has no say. Such
		 * an attempt is no probe; its failure changes nothing.
		 */
		if (signal != 0) {
			gate_store_drop(&store);
			is_woken = gate->state == GATE_SHUT;
			return start();
		}
		if (!gate_store_ask(&store, &answer))
			return go_without();
	}
	if (answer.ticket != 0)
		log_event(event_of(GATE_LOG_PROBE));
	return start();
}

struct entry
gate_enter(int64_t until_ns, bool *waited)
{
	enum gate_state before = gate->state;
	struct gate_answer answer;
	struct entry entry;

	/* Set here: the program's file would have the whole store, if above. */
	if (store.file.what == NULL)
		store.file = (struct state_file) { .what = "gate",
			.name = options->name,
			.is_fleet = options->fleet,
			.fd = -1 };
	if (options->name[0] == '\0')
		return go;
	state_file_use(&store.file);
	is_woken = was_open = false;
	if (!gate_store_is_there(&store))
		return go_without();
	/* A run that has no time left to wait must not even take a ticket. */
	if (spent_ns >= options->wait_ns && gate_store_look(&store)
	    && gate->state == GATE_SHUT
	    && !gate_is_deserted(gate, store.now_ns))
		return refuse(false);
	if (!gate_store_ask(&store, &answer))
		return go_without();
	if (before == GATE_PACED && gate->state == GATE_OPEN)
		log_event(event_of(GATE_LOG_OPEN));
	entry = wait_until(answer, until_ns, waited);
	log_erase_wait();
	return entry;
}

bool
gate_recheck(void)
{
	/* What cannot be read is told of after the attempt. */
	if (!gate_store_is_there(&store) || !gate_store_look(&store))
		return true;
	if (gate->state == GATE_SHUT)
		return gate_find_prober(gate, store.ticket) >= 0;
	/* Who had a ticket, or was a probe, has had its turn. */
	if (gate->state == GATE_PACED && was_open)
		return false;
	gate_store_drop(&store);
	start();
	return true;
}

/* --- after it --- */

/* How the gate counts an outcome. */
static enum gate_outcome
outcome_of(const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;

	if (verdict_is_good(state->verdict))
		return GATE_SUCCESS;
	if (!verdict_is_failure(state->verdict)
	    || outcome->kind == OUTCOME_NOT_STARTED || outcome->end_signal != 0
	    || outcome->by_forwarded)
		return GATE_NEUTRAL;
	return state->verdict == VERDICT_THROTTLE
	        || outcome->evidence.hint.has_wait
	    ? GATE_REFUSAL
	    : GATE_FAILURE;
}

struct gate_effect
gate_leave(const struct loop_state *state)
{
	const struct outcome *outcome = &state->outcome;
	const struct hint *hint = &outcome->evidence.hint;
	struct gate_effect effect = { .signal = 0 };
	struct text reason = TEXT_OF(REASON_SIZE);
	struct gate_attempt attempt;
	int64_t ahead_ns;

	environment_gate(NULL);
	if (!gate_store_is_there(&store))
		return effect;
	ahead_ns = boot_clock_ns() - clock_now_ns();
	attempt = (struct gate_attempt) {
		.outcome = outcome_of(state),
		.run = doors.run,
		.ticket = store.ticket, /* of a probe */
		.began_ns = outcome->started_ns + ahead_ns,
		.ended_ns = outcome->ended_ns + ahead_ns,
		.reason = reason.data,
	};
	reason_text(&reason, outcome, NULL);
	if (hint->has_wait && hint->wait_ns > 0
	    && hint->wait_ns <= doors.settings->limits.hint_max_ns)
		attempt.stated_ns = hint->wait_ns;
	attempt.pause_ns = gate_pause(
	    gate, &doors.settings->policy, &doors.random, attempt.stated_ns);
	/* That changes nothing, unless it lets the next run probe. */
	if (attempt.outcome == GATE_NEUTRAL && attempt.ticket == 0)
		return effect;
	if (!gate_store_report(&store, &attempt)) {
		go_without();
		return effect;
	}
	keep_change(&attempt, hint->wait_ns);
	effect = gate_effect(gate, &attempt, attempt.ticket != 0 || is_woken);
	effect.probe.gate = doors.gate;
	return effect;
}

void
gate_cancel(void)
{
	environment_gate(NULL);
	/* The next run probes: a probe whose ticket is not held is none. */
	gate_store_drop(&store);
}
