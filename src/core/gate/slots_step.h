/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_GATE_SLOTS_STEP_H
#define BACKOFF_CORE_GATE_SLOTS_STEP_H
/*
 * The order in which runs get slots. A slot itself is a lock, which is counted
 * and taken elsewhere; this decides only which run tries next. A run that has
 * to wait gets a ticket and sleeps; nobody hands anything on, so a run that is
 * stopped, killed or slow holds up nobody.
 *
 * Pure functions, as those of the gate (gate.h), with the same clock.
 */

#include <stdbool.h>
#include <stdint.h>

/* Tickets are 1 to this; they are not used up while a machine runs. */
#define SLOTS_LAST_TICKET (INT64_C(1) << 47)

struct slots {
	int64_t next; /* the next ticket to be given */
	int64_t head; /* earlier tickets no longer count */
	int64_t passed; /* head has overtaken the tickets before this one */
	int64_t moved_ns; /* when a waiting run took a slot, or one came free */
	int64_t counted_ns; /* when the slots were counted: */
	int64_t busy, count; /* busy of count were taken */
	int64_t lost_since_ns; /* a server does not answer; 0: it does */
};

/* A run that waits, as it looks. */
struct slots_visit {
	int64_t ticket;
	int64_t count; /* N of --slots */
	int64_t busy; /* how many are taken; -1: not counted */
	bool is_first; /* nobody alive has an earlier ticket */
	bool is_far; /* a server has to be asked, which takes its time */
};

/* Nobody has waited yet. */
struct slots slots_new(int64_t now_ns);

/* Whether the last count is too old, and the slots are to be counted. */
bool slots_count_is_due(
    const struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

/* 0: take a slot now; else wait, and look again at that moment. */
int64_t slots_look(
    struct slots *slots, int64_t now_ns, const struct slots_visit *visit);

#endif
