/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_GATE_H
#define BACKOFF_CORE_GATE_GATE_H
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
 *   stands in a queue; its head, and some behind it, watch the clock.
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

#include "core/gate/record.h"
#include "core/gate/types.h"

struct gate_decision {
	enum gate_kind kind;
	enum gate_state was; /* the gate, before; record.state is after */
	bool changed; /* the record: it has to be written */
	int64_t until_ns; /* of GATE_WAIT and GATE_QUEUE; else 0 */
	size_t rule; /* which of gate_rules (rules.h) it was */
};

/*
 * Whether RUN may start an attempt at NOW_NS. Kinds: START PROBE WAIT QUEUE
 * LOST. For BACKOFF_GATE, record.state tells what it starts in.
 */
struct gate_decision gate_ask(
    struct gate_record *record, int64_t now_ns, const struct gate_run *run);

/*
 * RUN watches the clock in the queue, for turn RUN->turn, and it is
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
 * All time until moments that the other side has stated, up to NOW_NS, since
 * the record was new: a wait is not to count what of it lies in that.
 */
int64_t gate_stated_ns(const struct gate_record *record, int64_t now_ns);

/*
 * Whether who finds the gate so may have the turn without a wait: it opens, or
 * nobody has come for the probe that was due half a minute ago.
 */
bool gate_needs_no_wait(const struct gate_record *record, int64_t now_ns);

/*
 * When the holder of the turn counts as stuck: INT64_MAX while the gate is
 * open.
 */
int64_t gate_overdue_ns(const struct gate_record *record);

/*
 * Somebody knows that the service is up: the ramp begins, and whoever has the
 * turn has it no more. False: the gate is not shut.
 */
bool gate_open_by_hand(struct gate_record *record, int64_t now_ns);

/* "open", "shut", "probing", "ramp". */
const char *gate_state_name(enum gate_state state);

#endif
