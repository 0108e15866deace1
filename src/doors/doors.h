/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DOORS_H
#define BACKOFF_DOORS_DOORS_H
/*
 * What the loop asks before and after each attempt (core/loop/loop.h): first
 * --defer, as a run that is put off must not wait, then --gate, then --slots,
 * as a run that waits at a gate must not hold a slot.
 */

#include "core/loop/loop.h"
#include "core/pause/schedule.h"
#include "types/option_types.h"

/*
 * Nothing is opened yet, but the helper of a fleet is started, and exits with
 * 125 if that cannot work. False: nothing is shared, and none of the functions
 * below is to be called. SETTINGS must live on; ID is the run's,
 * and may be another run's too; OWNER is from the kernel, for this one.
 */
bool doors_start(const struct shared_options *options,
    const struct settings *settings, const char *id, struct random random,
    uint64_t owner);

/*
 * The log is open: opens the file of the slots. Exits with 125 if their limit
 * cannot be kept.
 */
void slots_open(void);

/* As the loop calls them. */
struct entry doors_before_splay(void);
struct entry doors_before_attempt(
    const struct loop_state *state, int64_t until_ns);
struct gate_effect doors_after_verdict(const struct loop_state *state);

/* The attempt has its line in the log: logs how it has changed the gate. */
void gate_log_change(void);

/*
 * For --quiet-repeats, before defer_end(): reads whether the last run that was
 * not put off gave up, by whatever verdict; and, after that and the end of the
 * log, logs that RESULT ends a row of them.
 */
bool defer_look_back(void);
void defer_log_recovery(enum result result);

/* The run has ended, before --at-end: writes what that means for the next. */
void defer_end(const struct loop_state *state, enum result result);

/*
 * Instead of all that, for a person; both exit. --gate=list: prints a table of
 * the gates, slots and deferred names in DIRECTORY, that of --state-dir, or
 * NULL. --gate=open:NAME: opens that gate, and prints what it did. 125 if the
 * state cannot be used.
 */
_Noreturn void doors_list(const char *directory);
_Noreturn void doors_open_gate(const struct shared_options *options);

/* --- among the doors --- */

/* What they have in common; doors_start() sets it. */
extern struct doors {
	struct shared_options options;
	char gate[FLEET_NAME_SIZE], slots[FLEET_NAME_SIZE]; /* as given */
	const struct settings *settings;
	struct random random;
	uint64_t run; /* a hash of its id */
	uint64_t owner; /* a number that no other run has */
} doors;

static const struct entry go = { .admission = ADMISSION_GO };

/*
 * Whether this run may make its first attempt; ADMISSION_REFUSED: it is put
 * off, as it never is at a terminal.
 */
struct entry defer_ask(void);

/*
 * Waits until an attempt may begin, until UNTIL_NS of CLOCK_MONOTONIC at the
 * latest, and sets *WAITED if it does. After ADMISSION_GO either gate_leave()
 * or gate_cancel() has to follow.
 */
struct entry gate_enter(int64_t until_ns, bool *waited);

/*
 * A run that was let in has waited for something else: whether it may still
 * start. False: it has to enter again.
 */
bool gate_recheck(void);

/* An attempt was made: its verdict is that of STATE. */
struct gate_effect gate_leave(const struct loop_state *state);

/* There will be no attempt. */
void gate_cancel(void);

/* Whether an ancestor of ours holds a slot of that NAME, which we share. */
bool slots_are_of_parent(void);

/*
 * Takes a slot, waiting for one until UNTIL_NS of CLOCK_MONOTONIC, and then
 * sets *WAITED; none is needed if an ancestor holds one. It is the lock of a
 * byte, which the kernel frees when its holder dies. A fleet's slots are
 * counted by its server, which the first in line of each machine asks.
 */
struct entry slots_take(int64_t until_ns, bool *waited);

/* Gives it back, if there is one. */
void slots_free(void);

#endif
