/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/duration.h"
#include "core/json.h"
#include "core/text.h"
#include "log/countdown_line.h"
#include "log/log.h"
#include "process/clock.h"
#include "process/environment.h"
#include "process/signals.h"
#include "process/sleep.h"
#include "shared/fleet.h"
#include "shared/lock_wait.h"
#include "shared/shared_state.h"
#include "shared/slots.h"
#include "shared/slots_word.h"

#define TELL_AFTER_NS NS_PER_S
#define FIRST_LOOK_NS (10 * NS_PER_MS)
#define LAST_LOOK_NS (250 * NS_PER_MS)

/* A wait for a slot. */
struct wait {
	int64_t since_ns;
	int64_t until_ns;
	bool is_told;
	int signal; /* that has ended it, or 0 */
};

enum taken {
	TAKEN,
	NOT_TAKEN, /* until the time came, or a signal */
	CANNOT, /* errno tells why */
};

static struct shared_part part = { .what = "slots", .file = { .fd = -1 } };
static const struct slots_options *options;
static struct random *random_source;
static bool is_open; /* or was tried */
static bool is_of_parent; /* who has started us holds one for us */
static int64_t held = -1; /* the byte */
static bool held_in_fleet; /* one of the fleet's, instead */
static char *entry; /* of the environment, while we hold one; or NULL */

void
slots_start(const struct slots_options *what, struct random *random)
{
	options = what;
	random_source = random;
	part.name = what->name;
	part.instead = what->fleet ? "with the fleet alone" : NULL;
}

/* The file, and whether we need a slot at all. */
static void
open_slots(void)
{
	const char *above = getenv("BACKOFF_SLOTS");

	is_open = true;
	if (!shared_state_open(&part) && !options->fleet)
		return;
	is_of_parent = slots_word_is_held(options, above);
	if (is_of_parent)
		state_file_close(&part.file);
	else
		entry = slots_word_entry(options, above != NULL ? above : "");
}

bool
slots_are_of_parent(void)
{
	return slots_word_is_held(options, getenv("BACKOFF_SLOTS"));
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

/* One that is free, from a random one on. Without any, none is needed. */
static enum taken
look_here(void)
{
	int64_t first = random_between(random_source, 0, options->count - 1);

	if (!is_local())
		return TAKEN;
	for (int64_t i = 0; i < options->count; i++) {
		int64_t byte = STATE_LOCK_SLOT + (first + i) % options->count;

		switch (lock_try(part.file.fd, byte)) {
		case LOCK_HAD:
			held = byte;
			return TAKEN;
		case LOCK_FAILED:
			return CANNOT;
		default:
			break;
		}
	}
	return NOT_TAKEN;
}

static enum taken
look(void)
{
	struct fleet_line answer;

	if (!is_in_fleet()
	    || !fleet_ask(&(struct fleet_line) { .word = FLEET_SLOT }, &answer))
		return look_here();
	held_in_fleet = answer.numbers[0] != 0;
	return held_in_fleet ? TAKEN : NOT_TAKEN;
}

/* "waiting for one of 4 slots of hub" */
static void
tell_wait(struct wait *wait)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	if (wait->is_told || clock_now_ns() - wait->since_ns < TELL_AFTER_NS)
		return;
	wait->is_told = true;
	if (options->count == 1) {
		text_add(&text, "waiting for the slot of ");
	} else {
		text_add(&text, "waiting for one of ");
		text_number(&text, options->count);
		text_add(&text, " slots of ");
	}
	shared_name_add(&text, options->name, options->fleet);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

/* When the wait is to be looked at again, but not after AT_NS. */
static int64_t
next_moment(const struct wait *wait, int64_t at_ns)
{
	if (!wait->is_told)
		at_ns = min_ns(at_ns, wait->since_ns + TELL_AFTER_NS);
	return min_ns(at_ns, wait->until_ns);
}

/* Whether SIGNAL, or the time, ends the wait. The wake signal does not. */
static bool
is_over(struct wait *wait, int signal)
{
	if (signals_ends(signal))
		wait->signal = signal;
	return wait->signal != 0 || clock_now_ns() >= wait->until_ns;
}

/* The lock of BYTE, in the order of the kernel. */
static enum taken
wait_for(struct wait *wait, int64_t byte)
{
	int signal = 0;

	for (;;) {
		switch (lock_wait(part.file.fd, byte,
		    next_moment(wait, INT64_MAX), &signal)) {
		case LOCK_HAD:
			return TAKEN;
		case LOCK_FAILED:
			return CANNOT;
		default:
			break;
		}
		if (is_over(wait, signal))
			return NOT_TAKEN;
		tell_wait(wait);
	}
}

/* Who has the queue looks again and again, and all others wait for it. */
static enum taken
look_until(struct wait *wait)
{
	int64_t nap_ns = FIRST_LOOK_NS;
	enum taken taken;

	while ((taken = look()) == NOT_TAKEN) {
		int signal = sleep_until_told(
		    next_moment(wait, clock_now_ns() + nap_ns));

		if (is_over(wait, signal))
			break;
		tell_wait(wait);
		nap_ns = min_ns(2 * nap_ns, LAST_LOOK_NS);
	}
	return taken;
}

/* A signal, or the time, ends the wait for the helper's answer. */
static bool
is_answered(struct wait *wait)
{
	while (!fleet_can_be_heard()) {
		int signal = countdown_line_wait_for(
		    next_moment(wait, INT64_MAX), fleet_socket());

		if (is_over(wait, signal))
			return false;
		tell_wait(wait);
	}
	return true;
}

/* The same in the fleet, whose server hands out what is given back. */
static enum taken
claim_until(struct wait *wait)
{
	struct fleet_line answer;

	do {
		answer = (struct fleet_line) { .word = FLEET_CLAIM };
		if (!fleet_say(&answer))
			return look_until(wait);
		if (!is_answered(wait)) {
			held_in_fleet = true;
			slots_free();
			return NOT_TAKEN;
		}
		if (!fleet_hear(FLEET_CLAIM, &answer))
			return look_until(wait);
	} while (answer.numbers[0] == 0);
	held_in_fleet = true;
	return TAKEN;
}

static enum taken
wait_in_line(struct wait *wait)
{
	enum taken taken;
	int error;

	if (!is_local())
		return is_in_fleet() ? claim_until(wait) : TAKEN;
	if (options->count == 1 && !options->fleet) {
		taken = wait_for(wait, STATE_LOCK_SLOT);
		if (taken == TAKEN)
			held = STATE_LOCK_SLOT;
		return taken;
	}
	taken = wait_for(wait, STATE_LOCK_SLOT_QUEUE);
	if (taken != TAKEN)
		return taken;
	taken = is_in_fleet() ? claim_until(wait) : look_until(wait);
	error = errno;
	lock_free(part.file.fd, STATE_LOCK_SLOT_QUEUE);
	errno = error;
	return taken;
}

static void
tell_taken(const struct wait *wait)
{
	char members[SHARED_NAME_SIZE + 64], shown[FLEET_NAME_SIZE];
	struct text text = text_in(members, sizeof members);
	struct text name = text_in(shown, sizeof shown);

	shared_name_add(&name, options->name, options->fleet);
	json_member_string(&text, "slots", shown);
	json_member_seconds(&text, "waited_s", clock_now_ns() - wait->since_ns);
	log_news(WEIGHT_NORMAL, NULL, "slot", members);
}

/* What is not for us in the wait is discarded, as in a pause. */
static struct entry
wait_for_slot(int64_t until_ns)
{
	struct wait wait = { .since_ns = clock_now_ns(), .until_ns = until_ns };
	enum taken taken = wait_in_line(&wait);
	int signal;

	if (taken == CANNOT) {
		shared_state_lose(&part, strerror(errno));
		return (struct entry) { .admission = ADMISSION_GO };
	}
	signal = wait.signal != 0 ? wait.signal : signals_drain();
	if (signal != 0) {
		slots_free();
		return (struct entry) { .admission = ADMISSION_SIGNAL,
			.signal = signal };
	}
	if (taken == NOT_TAKEN)
		return (struct entry) { .admission = ADMISSION_LATE };
	tell_taken(&wait);
	return (struct entry) { .admission = ADMISSION_GO };
}

/*
 * Who comes while others wait goes behind them: it would take the slot that
 * the first of them, who only looks now and then, has waited for.
 */
static enum taken
take_free(void)
{
	if ((options->count > 1 || options->fleet) && is_local()
	    && lock_is_taken(part.file.fd, STATE_LOCK_SLOT_QUEUE))
		return NOT_TAKEN;
	return look();
}

struct entry
slots_take(int64_t until_ns)
{
	struct entry result = { .admission = ADMISSION_GO };

	if (!is_open)
		open_slots();
	if (is_of_parent || (!is_local() && !is_in_fleet()))
		return result;
	switch (take_free()) {
	case TAKEN:
		break;
	case NOT_TAKEN:
		result = wait_for_slot(until_ns);
		break;
	case CANNOT:
		shared_state_lose(&part, strerror(errno));
		break;
	}
	if (held >= 0 || held_in_fleet)
		environment_slots(entry);
	return result;
}

/* Others may have had it meanwhile: there may have been one too many. */
static void
tell_lost(void)
{
	char words[SHARED_NAME_SIZE + 64];
	struct text text = text_in(words, sizeof words);

	text_add(&text, "lost the slot of ");
	shared_name_add(&text, options->name, options->fleet);
	log_news(WEIGHT_NORMAL, words, NULL, NULL);
}

void
slots_free(void)
{
	struct fleet_line answer;

	if (held_in_fleet && is_in_fleet()
	    && fleet_ask(&(struct fleet_line) { .word = FLEET_FREE }, &answer)
	    && answer.numbers[0] != 0)
		tell_lost();
	if (held >= 0)
		lock_free(part.file.fd, held);
	held = -1;
	held_in_fleet = false;
	environment_slots(NULL);
}
