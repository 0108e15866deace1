/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SHARED_FLEET_H
#define BACKOFF_SHARED_FLEET_H
/*
 * The fleet: what runs on other machines share with ours. backoff-fleet asks
 * its server for us (core/gate/fleet_line.h). Where it has no answer in time,
 * the fleet is lost for this attempt, and what is shared is that of this
 * machine.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/gate/fleet_line.h"
#include "types/option_types.h"

enum fleet_part {
	FLEET_GATE,
	FLEET_SLOTS,
};
#define FLEET_PARTS 2

/* What there is of a part. */
struct fleet_view {
	int64_t ahead_ns; /* of CLOCK_BOOTTIME: the server's time since 1970 */
	uint8_t living; /* bit i: the i-th of those asked for holds something */
	int64_t count; /* of all who do, if any were asked for */
	uint8_t state[FLEET_STATE_SIZE / 2];
	size_t size; /* of it; 0: there is none */
};

/*
 * Starts the helper, and exits with 125 if that cannot work at all. OPTIONS
 * must live on.
 */
void fleet_start(const struct shared_options *options);

/* An attempt is coming: a fleet that was lost is tried again. */
void fleet_begin(void);

/* It is used, and not lost. */
bool fleet_is_on(void);

/*
 * Each is false, or FLEET_LOST, where the fleet is lost: then what was to be
 * held, or dropped, is not held.
 */
bool fleet_look(enum fleet_part part, const int64_t *members, int count,
    struct fleet_view *view);

enum fleet_put {
	FLEET_LOST,
	FLEET_CROSSED, /* by another: the state is not that of VIEW any more */
	FLEET_DONE,
};
/* MEMBER, or nothing for 0, is then all that we hold of PART. */
enum fleet_put fleet_put(enum fleet_part part, int64_t member,
    const struct fleet_view *view, const uint8_t *state, size_t size);

bool fleet_drop(enum fleet_part part);

/* What has become of what was held, and is asked for now; once. */
enum fleet_news fleet_news(enum fleet_part part);

/* "SERVER: WHY" where it is lost, or NULL; and says so, once until it is back,
 * of a part that goes on without it. */
const char *fleet_lost_why(void);
void fleet_tell_lost(enum fleet_part part);

/* A number that stands for this state directory since the last boot. */
uint64_t fleet_machine(void);

/* It is lost, but has not been so for as long as a lease. */
bool fleet_is_away(void);

/* A wait is coming, in which nothing is held, and nobody need ask. */
void fleet_rest(void);

/* Gives up what is held, and ends the helper. */
void fleet_end(void);

#endif
