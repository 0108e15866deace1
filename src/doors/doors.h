/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_DOORS_DOORS_H
#define BACKOFF_DOORS_DOORS_H
/*
 * What stands at the two doors of the loop (core/loop/loop.h), in its order:
 * who is put off waits for nothing, and who waits for others holds no slot.
 */

#include "core/loop/loop.h"
#include "core/loop/settings.h"
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

/* The log is open. Exits with 125 where a limit cannot be kept. */
void doors_open(void);

struct entry doors_before_splay(void);
struct entry doors_before_attempt(
    const struct loop_state *state, int64_t until_ns);
struct aftermath doors_after_verdict(const struct loop_state *state);

/* The log has told of the attempt: what it has changed may follow. */
void doors_told(void);

/* For --quiet-repeats, before doors_end() and after it: see defer.h. */
bool doors_gave_up_before(void);
void doors_tell_recovery(enum result result);

/* The loop has ended with RESULT, before --at-end. */
void doors_end(const struct loop_state *state, enum result result);

/* Nothing follows: what helped ends. Without doors, that is nothing. */
void doors_close(void);

#endif
