/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/duration.h"
#include "doors/fleet_slots.h"
#include "doors/fleet_slots_news.h"
#include "doors/fleet_slots_wait.h"
#include "doors/fleet_slots_word.h"
#include "log/countdown_line.h"
#include "process/environment.h"
#include "process/helper.h"
#include "process/signals.h"
#include "process/sleep.h"
#include "shared/fleet.h"
#include "shared/fleet_helper.h"
#include "shared/line.h"
#include "shared/shared_state.h"
#include "system/clock.h"

#define FIRST_LOOK_NS (10 * NS_PER_MS)
#define LAST_LOOK_NS (250 * NS_PER_MS)

static struct shared_part part
    = { .what = "slots", .is_limit = true, .file = { .fd = -1 } };
static const struct slots_options *options;
static struct random *random_source;
static bool is_of_parent; /* who has started us holds one for us */
static int64_t held = -1; /* the byte */
static bool held_in_fleet; /* one of the fleet's, instead */
static char *entry; /* of the environment, while we hold one; or NULL */
static int64_t waited_ns; /* in all */
static int64_t answered_ns; /* when the fleet's server last did */
static bool is_lease_over; /* of a fleet that is lost */

void
fleet_slots_start(const struct slots_options *what, struct random *random)
{
	options = what;
	random_source = random;
	part.name = what->name;
	part.instead = what->fleet ? "with the fleet alone" : NULL;
}

/* The file, and whether we need a slot at all. */
void
fleet_slots_open(void)
{
	const char *above = getenv("BACKOFF_SLOTS"), *why;
	bool found = shared_state_find(&part);

	is_of_parent = fleet_slots_word_is_held(options, above);
	if (is_of_parent) {
		state_file_close(&part.file);
		return;
	}
	if (!found) {
		why = options->fleet ? fleet_check() : "";
		if (why != NULL)
			fleet_slots_news_refuse_run(options, &part, why);
		shared_state_open(&part);
	}
	entry = fleet_slots_word_entry(options, above != NULL ? above : "");
}

bool
fleet_slots_are_of_parent(void)
{
	return fleet_slots_word_is_held(options, getenv("BACKOFF_SLOTS"));
}

static bool
is_in_fleet(void)
{
	return options->fleet && fleet_is_on();
}

static bool
is_local(void)
{
	return part.file.fd >= 0;
}

/*
 * One that is free, from a random one on. Without any, none is needed. This and
 * what follows are as with a lock: not to be had yet is what is neither
 * LOCK_HAD nor LOCK_FAILED.
 */
static enum lock_result
look_here(void)
{
	int64_t first = random_between(random_source, 0, options->count - 1);
	enum lock_result result = is_local() ? LOCK_BUSY : LOCK_HAD;

	for (int64_t i = 0; i < options->count && result == LOCK_BUSY; i++) {
		int64_t byte = STATE_LOCK_SLOT + (first + i) % options->count;

		result = lock_try(part.file.fd, byte);
		if (result == LOCK_HAD)
			held = byte;
	}
	return result;
}

static enum lock_result
look(void)
{
	struct fleet_line answer;

	if (!is_in_fleet()
	    || !fleet_ask(
	        &(struct fleet_line) { .word = FLEET_SLOT }, &answer)) {
		if (options->fleet && !is_lease_over)
			return LOCK_BUSY;
		if (options->fleet)
			fleet_slots_are_local();
		return look_here();
	}
	answered_ns = clock_now_ns();
	held_in_fleet = answer.numbers[0] != 0;
	return held_in_fleet ? LOCK_HAD : LOCK_BUSY;
}

/* In the line, until nobody is before us. */
static enum lock_result
wait_behind(struct slots_wait *wait)
{
	enum lock_result result;
	int signal;

	while (!line_is_first(&wait->line)) {
		result = line_wait(
		    &wait->line, fleet_slots_wait_look(wait), &signal);
		if (result == LOCK_FAILED
		    || (result != LOCK_HAD
		        && !fleet_slots_wait_goes_on(wait, signal)))
			return result;
	}
	return LOCK_HAD;
}

/* The one slot that there is. */
static enum lock_result
wait_for_only(struct slots_wait *wait)
{
	enum lock_result result;
	int signal;

	do {
		result = lock_wait(part.file.fd, STATE_LOCK_SLOT,
		    fleet_slots_wait_look(wait), &signal);
		if (result == LOCK_HAD)
			held = STATE_LOCK_SLOT;
	} while (result != LOCK_HAD && result != LOCK_FAILED
	    && fleet_slots_wait_goes_on(wait, signal));
	return result;
}

/*
 * A fleet that is lost is waited for, once in a run, as long as what others
 * hold there lasts without it. All who are in line wait at the same time: who
 * stands behind others asks nobody, but comes first at once when these leave.
 */
static void
wait_for_fleet(const struct slots_wait *wait)
{
	int64_t known_ns = max_ns(wait->since_ns, answered_ns);

	if (!options->fleet || is_lease_over || is_in_fleet())
		return;
	is_lease_over = clock_now_ns() - known_ns >= FLEET_LEASE_NS;
	if (!is_lease_over)
		fleet_begin();
}

/* The first looks again and again, and all others wait for it. */
static enum lock_result
look_until(struct slots_wait *wait)
{
	int64_t nap_ns = FIRST_LOOK_NS;
	enum lock_result taken;

	while ((taken = look()) == LOCK_BUSY) {
		int signal = sleep_until_told(
		    fleet_slots_wait_moment(wait, clock_now_ns() + nap_ns));

		if (!fleet_slots_wait_goes_on(wait, signal))
			break;
		wait_for_fleet(wait);
		nap_ns = min_ns(2 * nap_ns, LAST_LOOK_NS);
	}
	return taken;
}

/* A signal, or the time, ends the wait for the helper's answer. */
static bool
is_answered(struct slots_wait *wait)
{
	while (!fleet_can_be_heard()) {
		int signal = countdown_line_wait_for(
		    fleet_slots_wait_moment(wait, INT64_MAX), helper_socket());

		if (fleet_slots_wait_is_over(wait, signal))
			return false;
		fleet_slots_wait_tell(wait);
	}
	return true;
}

/* The same in the fleet, whose server hands out what is given back. */
static enum lock_result
claim_until(struct slots_wait *wait)
{
	struct fleet_line answer;

	do {
		answer = (struct fleet_line) { .word = FLEET_CLAIM };
		if (!fleet_say(&answer))
			return look_until(wait);
		if (!is_answered(wait)) {
			held_in_fleet = true;
			fleet_slots_free();
			return LOCK_BUSY;
		}
		if (!fleet_hear(FLEET_CLAIM, &answer))
			return look_until(wait);
		answered_ns = clock_now_ns();
		/* Not while the answer is waited for. */
		fleet_slots_wait_touch(wait);
	} while (answer.numbers[0] == 0);
	held_in_fleet = true;
	return LOCK_HAD;
}

static enum lock_result
wait_as_first(struct slots_wait *wait)
{
	if (is_in_fleet())
		return claim_until(wait);
	return options->count == 1 && !options->fleet ? wait_for_only(wait)
	                                              : look_until(wait);
}

/* In the order in which they have come. */
static enum lock_result
wait_in_line(struct slots_wait *wait)
{
	int64_t ticket = line_ticket();
	enum lock_result taken;
	int error;

	if (!is_local())
		return wait_as_first(wait);
	if (!line_join(
	        &wait->line, part.file.fd, STATE_LOCK_SLOT_LINE, &ticket))
		return LOCK_FAILED;
	taken = wait_behind(wait);
	if (taken == LOCK_HAD)
		taken = wait_as_first(wait);
	error = errno;
	line_leave(&wait->line);
	errno = error;
	return taken;
}

/* Why there is none, where that is not that all are taken; or NULL. */
static const char *
why(void)
{
	return options->fleet && !is_lease_over ? fleet_lost_why() : NULL;
}

/* What is not for us in the wait is discarded, as in a pause. */
static struct entry
wait_for_slot(int64_t until_ns, void (*meanwhile)(void))
{
	int64_t since_ns = clock_now_ns();
	int64_t limit_ns
	    = saturating_add(since_ns, max_ns(options->wait_ns - waited_ns, 0));
	struct slots_wait wait = { .options = options,
		.since_ns = since_ns,
		.until_ns = min_ns(until_ns, limit_ns),
		.touch = meanwhile,
		.touch_ns = meanwhile != NULL ? since_ns : INT64_MAX };
	enum lock_result taken = LOCK_BUSY;
	int signal;

	/* A wait of nothing is none. */
	if (limit_ns > since_ns)
		taken = wait_in_line(&wait);
	waited_ns = saturating_add(waited_ns, clock_now_ns() - since_ns);

	if (taken == LOCK_FAILED) {
		shared_state_lose(&part, strerror(errno));
		return (struct entry) { .admission = ADMISSION_GO };
	}
	signal = wait.signal != 0 ? wait.signal : signals_drain();
	if (signal != 0) {
		fleet_slots_free();
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	}
	if (taken != LOCK_HAD)
		return limit_ns < until_ns
		    ? fleet_slots_news_refuse(options, why())
		    : fleet_slots_news_late(options, why());
	fleet_slots_news_taken(options, clock_now_ns() - since_ns);
	return (struct entry) { .admission = ADMISSION_GO };
}

/*
 * Who comes while others wait goes behind them: it would take the slot that
 * the first of them, who only looks now and then, has waited for.
 */
static enum lock_result
take_free(void)
{
	if (is_local() && !line_is_empty(part.file.fd, STATE_LOCK_SLOT_LINE))
		return LOCK_BUSY;
	return look();
}

struct entry
fleet_slots_take(int64_t until_ns, void (*meanwhile)(void), bool *waited)
{
	struct entry result = { .admission = ADMISSION_GO };
	enum lock_result taken;

	*waited = false;
	if (is_of_parent || (!is_local() && !options->fleet))
		return result;
	taken = take_free();
	if (taken == LOCK_FAILED) {
		shared_state_lose(&part, strerror(errno));
	} else if (taken != LOCK_HAD) {
		*waited = true;
		result = wait_for_slot(until_ns, meanwhile);
	}
	fleet_helper_keep(FLEET_HELD_SLOT, held_in_fleet);
	if (held >= 0 || held_in_fleet)
		environment_slots(entry);
	return result;
}

void
fleet_slots_free(void)
{
	struct fleet_line answer;

	if (held_in_fleet && is_in_fleet()
	    && fleet_ask(&(struct fleet_line) { .word = FLEET_FREE }, &answer)
	    && answer.numbers[0] != 0)
		fleet_slots_news_lost(options);
	fleet_helper_keep(FLEET_HELD_SLOT, false);
	if (held >= 0)
		lock_free(part.file.fd, held);
	held = -1;
	held_in_fleet = false;
	environment_slots(NULL);
}
