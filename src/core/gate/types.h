/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_TYPES_H
#define BACKOFF_CORE_GATE_TYPES_H
/*
 * What a gate is asked, and what it answers: see gate.h.
 */

#include <stdbool.h>
#include <stdint.h>

/* A holder of the turn who does not try is stuck after this long. */
#define GATE_STUCK_NS (10 * INT64_C(1000000000))

/* Above this rate, in thousandths a second, the gate is open again. */
#define GATE_OPEN_RATE UINT32_C(256000)

/* A run, as it asks. */
struct gate_run {
	uint64_t id; /* a hash of it: the same for all of its attempts */
	uint32_t turn; /* the number of the turn that it holds, or 0 */
	int64_t turn_ns; /* since when it holds it */
	/* With the turn: how long its attempt may take before it counts as
	 * stuck: --timeout, else a minute, and ten seconds on top. */
	int64_t patience_ns;
	/* With the turn: nobody waits behind it. False if that is unknown. */
	bool alone;
	/* gate_pass_over(): the probe of record.other_turn, if that is not 0,
	 * runs no more. */
	bool other_gone;
};

enum gate_outcome {
	GATE_ENDED_WELL, /* success or pass */
	GATE_FAILED, /* retry or throttle */
	GATE_NO_NEWS, /* stop, not started, interrupted */
};

/* An attempt that has ended. */
struct gate_attempt {
	enum gate_outcome outcome;
	int64_t began_ns, ended_ns; /* now at the latest */
	/* Of a failure: until when the other side asked us to wait, with the
	 * jitter that belongs to it; 0: it did not. */
	int64_t hint_ns;
	/* Of a failure: the pause until the next probe, drawn for failure
	 * gate_failures(): see probe_pause.h. */
	int64_t pause_ns;
	const char *reason; /* of a failure; cut where it is too long */
};

/* What a run has to do. */
enum gate_kind {
	GATE_NOTHING, /* gate_end(): it has been noted */
	GATE_START, /* give up a turn that is held, and start */
	GATE_PROBE, /* start with the turn, and hold it to the end */
	GATE_WAIT, /* with the turn, until until_ns; then ask again */
	GATE_QUEUE, /* for the turn; pass its holder over at until_ns */
	GATE_TAKE, /* gate_pass_over(): take record.turn, then ask */
	GATE_LOST, /* the turn that is held is not record.turn */
};

#endif
