/* SPDX-License-Identifier: MIT */
#include <config.h>

#include <string.h>

#include "core/base/base.h"
#include "doors/doors.h"
#include "options/options.h"
#include "process/process.h"
#include "shared/shared.h"
#include "system/system.h"

struct doors doors;

bool
doors_start(const struct shared_options *what, const struct settings *settings,
    const char *id, struct random random, uint64_t owner)
{
	struct text gate = text_in(doors.gate, sizeof doors.gate);
	struct text slots = text_in(doors.slots, sizeof doors.slots);
	const char *why = NULL;

	doors = (struct doors) {
		.options = *what,
		.settings = settings,
		.random = random,
		.run = hash_of(id, strlen(id)),
		.owner = (owner & INT64_MAX) | 1,
	};
	text_join(&gate, what->gate.fleet ? FLEET_PREFIX : "", what->gate.name);
	text_join(
	    &slots, what->slots.fleet ? FLEET_PREFIX : "", what->slots.name);
	state_dir_start(what->directory);
	if (what->gate.fleet || (what->slots.fleet && !slots_are_of_parent()))
		why = fleet_start(&doors.options);
	if (why != NULL)
		usage_refuse(what->gate.fleet ? "--gate" : "--slots",
		    what->gate.fleet ? doors.gate : doors.slots, why);
	return what->defer.name[0] != '\0' || what->gate.name[0] != '\0'
	    || what->slots.name[0] != '\0';
}

struct entry
doors_before_splay(void)
{
	/* Without a splay the first attempt is asked for right away. */
	return doors.settings->limits.splay.high_ns > 0 ? defer_ask() : go;
}

/* Through the gate, and then to a slot. *WAITED: it has waited there. */
static struct entry
enter(int64_t until_ns, bool *waited)
{
	struct entry entry;
	bool queued;

	fleet_server.is_lost = false;
	for (;;) {
		entry = gate_enter(until_ns, waited);
		if (entry.admission != ADMISSION_GO)
			return entry;
		queued = false;
		entry = slots_take(until_ns, &queued);
		*waited |= queued;
		if (entry.admission != ADMISSION_GO || !queued
		    || gate_recheck())
			return entry;
		/* It has shut meanwhile: wait there, without a slot. */
		slots_free();
	}
}

struct entry
doors_before_attempt(const struct loop_state *state, int64_t until_ns)
{
	bool is_early = clock_now_ns() < until_ns, waited = false;
	struct entry entry = state->verdict == VERDICT_NONE ? defer_ask() : go;

	if (entry.admission == ADMISSION_GO)
		entry = enter(until_ns, &waited);
	if (entry.admission == ADMISSION_GO) {
		/* A lock or a server may have taken its time, too. */
		if (waited || signals_end_pending())
			entry.signal = signals_drain();
		if (entry.signal != 0)
			entry.admission = ADMISSION_SIGNAL;
		else if (is_early && clock_now_ns() >= until_ns)
			entry.admission = ADMISSION_LATE;
	}
	/* There will be no attempt: gives back what was taken for it. */
	if (entry.admission != ADMISSION_GO) {
		slots_free();
		gate_cancel();
	}
	return entry;
}

struct gate_effect
doors_after_verdict(const struct loop_state *state)
{
	struct gate_effect effect;

	slots_free();
	effect = gate_leave(state);
	/* A lock, or a server, may have taken its time. */
	if (signals_end_pending())
		effect.signal = signals_drain();
	return effect;
}
