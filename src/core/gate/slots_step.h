/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_SLOTS_STEP_H
#define BACKOFF_CORE_GATE_SLOTS_STEP_H
/*
 * The order in which runs get slots. A slot itself is a lock, which is counted
 * and taken elsewhere: what is remembered here decides only who tries next.
 * Who has to wait has a ticket and sleeps; nobody hands anything on, so a run
 * that is stopped, killed or slow holds up nobody.
 *
 * Pure functions, as those of the gate (step.h), with the same clock.
 */

#include <stdbool.h>
#include <stdint.h>

/* Tickets are 1 to this; they are not used up while a machine runs. */
#define SLOTS_LAST_TICKET (INT64_C(1) << 47)

struct slots {
	int64_t next; /* the ticket of who comes next */
	int64_t head; /* those before it do not count any more */
	int64_t passed; /* of these, the ones that head has left behind */
	int64_t moved_ns; /* who waited took a slot, or one became free */
	int64_t counted_ns; /* when the slots were counted: */
	int64_t busy, count; /* so many of so many were taken */
	int64_t lost_ns; /* since when a fleet does not answer; 0: it does */
};

/* A run that waits, as it looks. */
struct slots_visit {
	int64_t ticket;
	int64_t count; /* of the slots, as it was told */
	int64_t busy; /* so many are taken; -1: they were not counted */
	bool is_first; /* nobody alive has an earlier ticket */
	bool is_far; /* a server has to be asked, which takes its time */
};

/* Where nobody has waited yet. */
struct slots slots_new(int64_t now_ns);

/* Whether what is remembered of them is too old: they are to be counted. */
bool slots_count_is_due(
    const struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

/* 0: take a slot now; else wait, and look again at that moment. */
int64_t slots_look(
    struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

/*
 * As bytes, for the record of a file (state_record.h): i64 each in that order,
 * u64 hash of the boot id, and crc32 at the end; the rest is zero. What is
 * damaged, of another boot, or later than now, is as new.
 */
struct slots slots_get(const uint8_t *part, uint64_t boot, int64_t now_ns);
void slots_put(uint8_t *part, uint64_t boot, const struct slots *slots);

#endif
