/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_RULES_H
#define BACKOFF_CORE_GATE_RULES_H
/*
 * All transitions of a gate, as one table: what gate.c does, and what tests
 * walk. The first rule of a state and an event whose guard holds is the one;
 * the last of them has no guard.
 */

enum gate_event {
	GATE_ASKS, /* a run that does not hold the turn */
	GATE_HOLDS, /* ... that does */
	GATE_IMPATIENT, /* who watches the clock in the queue */
	GATE_SUCCESS, /* of an attempt that tells news */
	GATE_FAILURE,
	GATE_HINT, /* a failure with one */
	GATE_NEUTRAL,
	/* Of a straggler, that began before the gate shut, or whose turn has
	 * passed on. */
	GATE_LATE_SUCCESS,
	GATE_LATE_FAILURE, /* or nothing new */
};
#define GATE_EVENTS 9

enum gate_guard {
	GUARD_NONE,
	GUARD_OTHER_TURN, /* what is held is not record.turn */
	GUARD_DUE, /* the probe is */
	GUARD_RELEASE, /* of the next attempt in the ramp is due */
	GUARD_FULL, /* the ramp has come to its end, or nobody is there */
	GUARD_ALONE, /* ... is due, and nobody else waits for one */
	GUARD_ROW, /* so many failures in a row shut the gate */
	GUARD_COUNTED, /* failures: there are some */
	GUARD_ASKED, /* the other side asked to wait longer */
	GUARD_OVERDUE, /* the holder of the turn is */
};

enum gate_action {
	ACTION_NONE, /* the record stays as it is */
	ACTION_HOLD, /* the turn: since when, and for how long */
	ACTION_PROBE, /* begins */
	ACTION_RELEASE, /* one attempt of the ramp */
	ACTION_RAISE, /* the number of the turn */
	ACTION_COUNT, /* a failure */
	ACTION_FORGET, /* the failures */
	ACTION_RAMP_FAILED, /* a result of the ramp, which counts it, too */
	ACTION_RAMP_SERVED,
	ACTION_SHUT,
	ACTION_PROBE_FAILED,
	ACTION_PROBE_VOID, /* as if it had not been */
	ACTION_RAMP, /* begins */
	ACTION_RAMP_PAST, /* ... and whoever probes has the turn no more */
	ACTION_OPEN,
};

struct gate_rule {
	unsigned char from; /* of enum gate_state */
	unsigned char event; /* ... gate_event */
	unsigned char guard; /* ... gate_guard */
	unsigned char action; /* ... gate_action */
	unsigned char to; /* ... gate_state */
	unsigned char kind; /* ... gate_kind */
};

#define GATE_RULES 56
extern const struct gate_rule gate_rules[GATE_RULES];

#endif
