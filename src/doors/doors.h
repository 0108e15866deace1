/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DOORS_H
#define BACKOFF_DOORS_DOORS_H
/*
 * What the loop asks before and after each attempt (core/loop/loop.h): first
 * --defer, as a run that is put off must not wait, then --gate, then --slots,
 * as a run that waits at a gate must not hold a slot.
 */

#include "core/loop/loop.h"
#include "core/loop/loop_state.h"
#include "core/pause/random.h"
#include "types/option_types.h"

/*
 * Nothing is opened yet, but the helper of a fleet is started, and exits with
 * 125 if that cannot work. False: nothing is shared, and none of the other
 * functions is to be called. OPTIONS and SETTINGS must live on; ID is the
 * run's, and may be another run's too; OWNER is from the kernel, for this one.
 */
bool doors_start(const struct shared_options *options,
    const struct settings *settings, const char *id, struct random random,
    uint64_t owner);

/* The log is open. Exits with 125 if the limit of --slots cannot be kept. */
void doors_open(void);

/* As the loop calls them; SELF is not used. */
struct entry doors_before_splay(void *self);
struct entry doors_before_attempt(
    void *self, const struct loop_state *state, int64_t until_ns);
struct gate_effect doors_after_verdict(
    void *self, const struct loop_state *state);

/* Starts the helper of a fleet; exits with 125 if that cannot work. */
void doors_start_fleet(const struct shared_options *options);

/*
 * by_hand.c. --gate=list: prints a table of the gates, slots and deferred names
 * in DIRECTORY, that of --state-dir, or NULL. --gate=open:NAME: opens that
 * gate, and prints what it did. Both exit, with 125 if the state cannot be
 * used.
 */
_Noreturn void doors_list(const char *directory);
_Noreturn void doors_open_gate(const struct shared_options *options);

#endif
