/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "core/base/duration.h"
#include "doors/defer.h"
#include "doors/doors.h"
#include "doors/fleet_door.h"
#include "doors/fleet_slots.h"
#include "doors/gate_door.h"
#include "doors/slots.h"
#include "process/signals.h"
#include "shared/fleet.h"
#include "shared/shared_state.h"
#include "system/clock.h"

/* A probe without --timeout, and what starting and telling may take. */
#define USUAL_PATIENCE_NS NS_PER_MIN
#define MORE_PATIENCE_NS (10 * NS_PER_S)

static const struct shared_options *options;
static struct random random_state;
static bool has_defer, has_gate, has_slots, has_splay;

bool
doors_start(const struct shared_options *what, const struct settings *settings,
    const char *id, struct random random, uint64_t owner)
{
	int64_t timeout_ns = settings->limits.timeout_ns;
	int64_t patience_ns = saturating_add(MORE_PATIENCE_NS,
	    timeout_ns < DURATION_INF ? timeout_ns : USUAL_PATIENCE_NS);

	options = what;
	random_state = random;
	has_defer = what->defer.name[0] != '\0';
	has_gate = what->gate.name[0] != '\0';
	has_slots = what->slots.name[0] != '\0';
	has_splay = settings->limits.splay.high_ns > 0;
	shared_state_start(what->directory);
	if (has_defer)
		defer_start(&what->defer, &random_state);
	if (has_gate && what->gate.fleet)
		fleet_door_start(
		    &what->gate, settings, id, patience_ns, &random_state);
	else if (has_gate)
		gate_door_start(&what->gate, settings, id, &random_state);
	if (has_slots)
		(what->slots.fleet ? fleet_slots_start : slots_start)(
		    &what->slots, &random_state);
	if (what->gate.fleet
	    || (what->slots.fleet && !fleet_slots_are_of_parent()))
		fleet_start(what, patience_ns, owner);
	return has_defer || has_gate || has_slots;
}

void
doors_open(void)
{
	if (has_slots)
		(options->slots.fleet ? fleet_slots_open : slots_open)();
}

struct entry
doors_before_splay(void *self)
{
	(void)self;
	/* Without a splay the first attempt is asked for right away. */
	if (has_splay && has_defer)
		return defer_ask();
	return (struct entry) { .admission = ADMISSION_GO };
}

/* Of a fleet or of this machine. */
static struct entry
enter_gate(int64_t until_ns)
{
	return options->gate.fleet ? fleet_door_enter(until_ns)
	                           : gate_door_enter(until_ns);
}

static void
cancel_gate(void)
{
	if (options->gate.fleet)
		fleet_door_cancel();
	else if (has_gate)
		gate_door_cancel();
}

static bool
look_at_gate_again(void)
{
	return options->gate.fleet ? fleet_door_look_again()
	                           : gate_door_look_again();
}

static struct entry
take_slot(int64_t until_ns, bool *waited)
{
	void (*touch)(void) = options->gate.fleet ? fleet_door_touch : NULL;

	return options->slots.fleet ? fleet_slots_take(until_ns, touch, waited)
	                            : slots_take(until_ns, waited);
}

static void
free_slot(void)
{
	if (options->slots.fleet)
		fleet_slots_free();
	else if (has_slots)
		slots_free();
}

/* Through the gate, and then to a slot. */
static struct entry
enter(int64_t until_ns)
{
	struct entry entry = { .admission = ADMISSION_GO };
	bool waited;

	fleet_begin();
	for (;;) {
		if (has_gate)
			entry = enter_gate(until_ns);
		if (!has_slots || entry.admission != ADMISSION_GO)
			return entry;
		entry = take_slot(until_ns, &waited);
		if (entry.admission != ADMISSION_GO)
			cancel_gate();
		if (entry.admission != ADMISSION_GO || !has_gate || !waited
		    || look_at_gate_again())
			return entry;
		/* It has shut meanwhile: who waits there holds no slot. */
		free_slot();
	}
}

/* What was had at the doors, without an attempt. */
static struct entry
give_back(struct entry entry)
{
	free_slot();
	cancel_gate();
	return entry;
}

struct entry
doors_before_attempt(
    void *self, const struct loop_state *state, int64_t until_ns)
{
	struct entry entry = { .admission = ADMISSION_GO };
	bool is_early = clock_now_ns() < until_ns;
	int signal;

	(void)self;
	if (has_defer && state->verdict == VERDICT_NONE)
		entry = defer_ask();
	if (entry.admission == ADMISSION_GO)
		entry = enter(until_ns);
	if (entry.admission != ADMISSION_GO)
		return entry;
	/* A server may have been asked, and taken its time. */
	if ((options->gate.fleet || options->slots.fleet)
	    && signals_end_pending() && (signal = signals_drain()) != 0)
		return give_back((struct entry) {
		    .admission = ADMISSION_SIGNAL, .signal = signal });
	if (is_early && clock_now_ns() >= until_ns)
		return give_back(
		    (struct entry) { .admission = ADMISSION_LATE });
	return entry;
}

struct aftermath
doors_after_verdict(void *self, const struct loop_state *state)
{
	(void)self;
	free_slot();
	if (options->gate.fleet)
		return fleet_door_leave(state);
	if (has_gate)
		return gate_door_leave(state);
	return (struct aftermath) { .at_door = false };
}

void
doors_tell(void)
{
	gate_door_tell();
	fleet_door_tell();
}
