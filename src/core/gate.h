/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_H
#define BACKOFF_CORE_GATE_H
/*
 * A gate that many runs pass before each attempt: a circuit breaker. Where
 * the service behind it is down it shuts for all of them, one after the
 * other probes, and after a success they come back gradually.
 *
 * Pure functions: (record, now, what happened) -> (record, decision). They
 * read no clock, draw nothing, and know of no file and no lock. What the
 * caller has to bring:
 *
 * - the record, read under a lock where it is to be written. A decision may
 *   be asked for without the lock, on a copy; where it says "changed", it
 *   has to be asked for again under the lock, on the record as it is then,
 *   and the record has to be written before the lock is freed.
 * - the turn: something that one run alone can hold, of the number that the
 *   record tells (record.turn), such as the lock of a byte. Who waits for it
 *   stands in a queue; the first in the queue watches the clock.
 *
 * An attempt, from the view of a run:
 *
 *   gate_ask() with turn 0: GATE_START? start.
 *   GATE_QUEUE: wait in the queue, then for turn N = record.turn, but
 *     at until_ns at the latest call gate_pass_over() with N.
 *   With the turn: gate_ask() with it.
 *     GATE_WAIT: sleep until until_ns, holding it, and ask again.
 *     GATE_PROBE: start, and hold it until gate_end() was called.
 *     GATE_START: give the turn up, and start.
 *     GATE_LOST: give the turn up: it has another number by now. Wait for
 *       that one, or from the end of the queue.
 *   When the attempt has ended: gate_end(), then give up a turn still held.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/gate_record.h"

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
	 * gate_failures(): see gate_pause.h. */
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

struct gate_decision {
	enum gate_kind kind;
	enum gate_state was; /* the gate, before; record.state is after */
	bool changed; /* the record: it has to be written */
	int64_t until_ns; /* of GATE_WAIT and GATE_QUEUE; else 0 */
	size_t rule; /* which of gate_rules (gate_rules.h) it was */
};

/*
 * Whether RUN may start an attempt at NOW_NS. Kinds: START PROBE WAIT QUEUE
 * LOST. For BACKOFF_GATE, record.state tells what it starts in.
 */
struct gate_decision gate_ask(
    struct gate_record *record, int64_t now_ns, const struct gate_run *run);

/*
 * The first in the queue, RUN, has waited for turn RUN->turn until
 * gate_overdue_ns(). Kinds: TAKE, the turn has the next number, and nobody
 * can hold it yet (take it before the lock of the record is freed); START,
 * the gate has opened; QUEUE, it is not stuck, or no longer that turn.
 */
struct gate_decision gate_pass_over(
    struct gate_record *record, int64_t now_ns, const struct gate_run *run);

/*
 * An attempt of RUN has ended; RUN->turn is that of a probe (GATE_PROBE), or
 * 0. Kind: NOTHING. The gate has shut where was is OPEN or RAMP and state is
 * SHUT; it opens for others where state is RAMP and was is not.
 */
struct gate_decision gate_end(struct gate_record *record, int64_t now_ns,
    const struct gate_run *run, const struct gate_attempt *attempt);

/*
 * For which failure in a row, >= 1, the pause has to be drawn that gate_end()
 * is to have. It may be read before the lock is had: it only decides how long
 * that pause is.
 */
int64_t gate_failures(const struct gate_record *record);

/*
 * When the holder of the turn counts as stuck: INT64_MAX while the gate is
 * open.
 */
int64_t gate_overdue_ns(const struct gate_record *record);

/* "open", "shut", "probing", "ramp". */
const char *gate_state_name(enum gate_state state);

#endif
